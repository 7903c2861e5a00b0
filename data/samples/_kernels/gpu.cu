// GPU kernels for the samples `gpus` and `gpu_scaling`, over three sizes and three sizes of blocks.
//
//   gpu list                     prints kernel, size and block of each launch of `shapes`, in its order
//   gpu shapes                   launches each once between cudaProfilerStart and cudaProfilerStop, for Nsight Compute
//   gpu scaling [SECONDS]        times and weighs each on parts of the GPU (green contexts) and prints CSV
//   gpu check                    compares results with the processor's
//
// Build: nvcc -O3 -std=c++17 -arch=native -o gpu gpu.cu -lcuda      (CUDA 12.4 or later)

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <mma.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        auto status_ = (call);                                                                     \
        if (status_ != 0) {                                                                        \
            fprintf(stderr, "%s:%d: %s failed with %d\n", __FILE__, __LINE__, #call, (int)status_); \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

constexpr long kFloats = 1L << 26;  // 256 MiB for each array, five times the second-level cache

static float *a, *b, *c;
static double *u, *v;
static int *index_, *rows_;
static unsigned *bins;
static half *ha, *hb;

#define AT (blockIdx.x * (long)blockDim.x + threadIdx.x)

// ---- one pass over arrays

__global__ void copy(float *y, const float *x, long n) {
    long i = AT;
    if (i < n) y[i] = x[i];
}

__global__ void saxpy(float *y, const float *x, float s, long n) {
    long i = AT;
    if (i < n) y[i] = s * x[i] + y[i];
}

__global__ void triad(float *z, const float *x, const float *y, float s, long n) {
    long i = AT;
    if (i < n) z[i] = x[i] + s * y[i];
}

__global__ void daxpy(double *y, const double *x, double s, long n) {
    long i = AT;
    if (i < n) y[i] = s * x[i] + y[i];
}

__global__ void copy_float4(float4 *y, const float4 *x, long n) {
    long i = AT;
    if (i < n) y[i] = x[i];
}

__global__ void copy_strided(float *y, const float *x, long n) {
    long i = AT;
    if (i < n) y[i] = x[(i * 17) % n];
}

__global__ void gather(float *y, const float *x, const int *at, long n) {
    long i = AT;
    if (i < n) y[i] = x[at[i] % n];
}

__global__ void scatter(float *y, const float *x, const int *at, long n) {
    long i = AT;
    if (i < n) y[at[i] % n] = x[i];
}

__global__ void pointer_chase(int *out, const int *next, int steps, long n) {
    long i = AT;
    if (i >= n) return;
    int at = (int)i;
    for (int s = 0; s < steps; s++) at = (int)(next[at] % n);
    out[i] = at;
}

// ---- arithmetic

__global__ void gelu(float *y, const float *x, long n) {
    long i = AT;
    if (i < n) {
        float t = x[i];
        y[i] = 0.5f * t * (1 + tanhf(0.7978845608f * (t + 0.044715f * t * t * t)));
    }
}

__global__ void black_scholes(float *call, float *put, const float *price, long n) {
    long i = AT;
    if (i >= n) return;
    float s = 5 + 25 * fabsf(price[i]), x = 20, t = 1.5f, r = 0.02f, vol = 0.3f;
    float root = sqrtf(t), d1 = (logf(s / x) + (r + 0.5f * vol * vol) * t) / (vol * root), d2 = d1 - vol * root;
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f), e = expf(-r * t);
    call[i] = s * n1 - x * e * n2;
    put[i] = x * e * (1 - n2) - s * (1 - n1);
}

__global__ void polynomial(float *y, const float *x, int degree, long n) {
    long i = AT;
    if (i >= n) return;
    float t = x[i], sum = 1;
    for (int k = 0; k < degree; k++) sum = sum * t + 0.5f;
    y[i] = sum;
}

__global__ void fma_chains(float *y, const float *x, int rounds, long n) {
    long i = AT;
    if (i >= n) return;
    float p = x[i], q = p + 1, r = p + 2, s = p + 3;
    for (int k = 0; k < rounds; k++) {
        p = fmaf(p, 0.999f, 0.1f);
        q = fmaf(q, 0.998f, 0.2f);
        r = fmaf(r, 0.997f, 0.3f);
        s = fmaf(s, 0.996f, 0.4f);
    }
    y[i] = p + q + r + s;
}

__global__ void double_chains(double *y, const double *x, int rounds, long n) {
    long i = AT;
    if (i >= n) return;
    double p = x[i], q = p + 1;
    for (int k = 0; k < rounds; k++) {
        p = fma(p, 0.999, 0.1);
        q = fma(q, 0.998, 0.2);
    }
    y[i] = p + q;
}

__global__ void hash_words(unsigned *out, const int *in, int rounds, long n) {
    long i = AT;
    if (i >= n) return;
    unsigned h = in[i];
    for (int k = 0; k < rounds; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
    }
    out[i] = h;
}

__global__ void count_bits(int *out, const int *in, long n) {
    long i = AT;
    if (i < n) out[i] = __popc(in[i]) + __clz(in[i]) + __brev(in[i]) % 7;
}

__global__ void divergent(float *y, const float *x, long n) {
    long i = AT;
    if (i >= n) return;
    float t = x[i];
    switch (i % 8) {
        case 0: for (int k = 0; k < 8; k++) t = sinf(t); break;
        case 1: for (int k = 0; k < 8; k++) t = t * t - 0.5f; break;
        case 2: for (int k = 0; k < 8; k++) t = expf(-t * t); break;
        case 3: for (int k = 0; k < 8; k++) t = sqrtf(fabsf(t) + 1); break;
        case 4: for (int k = 0; k < 8; k++) t = logf(fabsf(t) + 2); break;
        case 5: for (int k = 0; k < 8; k++) t = 1 / (t * t + 1); break;
        case 6: for (int k = 0; k < 8; k++) t = cosf(t); break;
        default: for (int k = 0; k < 8; k++) t = tanhf(t);
    }
    y[i] = t;
}

__global__ void mandelbrot(int *out, int width, int limit, long n) {
    long i = AT;
    if (i >= n) return;
    float cx = -2 + 3.0f * (i % width) / width, cy = -1.5f + 3.0f * (i / width) / width, x = 0, y = 0;
    int k = 0;
    while (k < limit && x * x + y * y < 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        k++;
    }
    out[i] = k;
}

__global__ void monte_carlo_pi(unsigned *hits, int draws, long n) {
    long i = AT;
    if (i >= n) return;
    unsigned state = (unsigned)i * 2654435761u + 1, inside = 0;
    for (int k = 0; k < draws; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float x = (state & 0xffff) / 65536.0f, y = (state >> 16) / 65536.0f;
        inside += x * x + y * y < 1;
    }
    hits[i] = inside;
}

__constant__ unsigned char box[256];

__global__ void substitute(unsigned *out, const int *in, int rounds, long n) {
    __shared__ unsigned char own[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) own[k] = box[k];
    __syncthreads();
    long i = AT;
    if (i >= n) return;
    unsigned w = in[i];
    for (int k = 0; k < rounds; k++) {
        w = own[w & 255] | own[w >> 8 & 255] << 8 | own[w >> 16 & 255] << 16 | (unsigned)own[w >> 24] << 24;
        w = (w << 5 | w >> 27) ^ 0x9e3779b9u;
    }
    out[i] = w;
}

// ---- sums and counts

__global__ void reduce_shared(float *sums, const float *x, long n) {
    extern __shared__ float part[];
    long i = AT;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void reduce_shuffle(float *sums, const float *x, long n) {
    long i = AT;
    float t = i < n ? x[i] : 0;
    for (int s = 16; s > 0; s /= 2) t += __shfl_down_sync(~0u, t, s);
    if (threadIdx.x % 32 == 0) sums[i / 32] = t;
}

__global__ void dot_atomic(float *sum, const float *x, const float *y, long n) {
    long i = AT;
    float t = i < n ? x[i] * y[i] : 0;
    for (int s = 16; s > 0; s /= 2) t += __shfl_down_sync(~0u, t, s);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, t);
}

__global__ void histogram_global(unsigned *counts, const int *x, long n) {
    long i = AT;
    if (i < n) atomicAdd(&counts[x[i] & 255], 1);
}

__global__ void histogram_shared(unsigned *counts, const int *x, long n) {
    __shared__ unsigned own[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        long i = (blockIdx.x * 16L + k) * blockDim.x + threadIdx.x;
        if (i < n) atomicAdd(&own[x[i] & 255], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&counts[k], own[k]);
}

__global__ void scan_blocks(float *y, const float *x, long n) {
    extern __shared__ float part[];
    long i = AT;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        float t = threadIdx.x >= s ? part[threadIdx.x - s] : 0;
        __syncthreads();
        part[threadIdx.x] += t;
        __syncthreads();
    }
    if (i < n) y[i] = part[threadIdx.x];
}

__global__ void bitonic_step(unsigned *x, long j, long k, long n) {
    long i = AT, other = i ^ j;
    if (i >= n || other <= i) return;
    unsigned p = x[i], q = x[other];
    if ((i & k) == 0 ? p > q : p < q) {
        x[i] = q;
        x[other] = p;
    }
}

// ---- grids; blocks of 32 columns

#define COLUMN (blockIdx.x * 32 + threadIdx.x % 32)
#define ROW (blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32)

__global__ void transpose_naive(float *y, const float *x, int m) {
    long i = COLUMN, j = ROW;
    if (i < m && j < m) y[i * m + j] = x[j * m + i];
}

__global__ void transpose_tiled(float *y, const float *x, int m) {
    __shared__ float tile[32][33];
    int at = threadIdx.x % 32, high = blockDim.x / 32;
    for (int k = threadIdx.x / 32; k < 32; k += high) tile[k][at] = x[(blockIdx.y * 32L + k) * m + blockIdx.x * 32 + at];
    __syncthreads();
    for (int k = threadIdx.x / 32; k < 32; k += high) y[(blockIdx.x * 32L + k) * m + blockIdx.y * 32 + at] = tile[at][k];
}

__global__ void stencil_line(float *y, const float *x, long n) {
    long i = AT;
    if (i < 4 || i >= n - 4) return;
    float sum = 0;
    for (int k = -4; k <= 4; k++) sum += x[i + k] * (0.1f + 0.01f * k);
    y[i] = sum;
}

__global__ void jacobi(float *y, const float *x, int m) {
    long i = COLUMN, j = ROW;
    if (i < 1 || j < 1 || i >= m - 1 || j >= m - 1) return;
    y[j * m + i] = 0.25f * (x[j * m + i - 1] + x[j * m + i + 1] + x[(j - 1) * m + i] + x[(j + 1) * m + i]);
}

__global__ void stencil_cube(float *y, const float *x, int m) {
    long i = AT, size = m, plane = size * size;
    long col = i % size, row = i / size % size, deep = i / plane;
    if (col < 1 || row < 1 || deep < 1 || col >= size - 1 || row >= size - 1 || deep >= size - 1) return;
    y[i] = 0.4f * x[i] + 0.1f * (x[i - 1] + x[i + 1] + x[i - size] + x[i + size] + x[i - plane] + x[i + plane]);
}

__global__ void sobel(float *y, const float *x, int m) {
    long i = COLUMN, j = ROW;
    if (i < 1 || j < 1 || i >= m - 1 || j >= m - 1) return;
    const float *p = x + j * m + i;
    float gx = p[1 - m] + 2 * p[1] + p[1 + m] - p[-1 - m] - 2 * p[-1] - p[m - 1];
    float gy = p[m - 1] + 2 * p[m] + p[m + 1] - p[-m - 1] - 2 * p[-m] - p[1 - m];
    y[j * m + i] = sqrtf(gx * gx + gy * gy);
}

__global__ void blur(float *y, const float *x, int m) {
    long i = COLUMN, j = ROW;
    if (i < 3 || j < 3 || i >= m - 3 || j >= m - 3) return;
    float sum = 0;
    for (int q = -3; q <= 3; q++)
        for (int p = -3; p <= 3; p++) sum += x[(j + q) * m + i + p] * 0.02f;
    y[j * m + i] = sum;
}

__global__ void bilateral(float *y, const float *x, int m) {
    long i = COLUMN, j = ROW;
    if (i < 2 || j < 2 || i >= m - 2 || j >= m - 2) return;
    float sum = 0, weights = 0, mid = x[j * m + i];
    for (int q = -2; q <= 2; q++)
        for (int p = -2; p <= 2; p++) {
            float t = x[(j + q) * m + i + p], w = __expf(-(t - mid) * (t - mid) - 0.1f * (p * p + q * q));
            sum += w * t;
            weights += w;
        }
    y[j * m + i] = sum / weights;
}

__global__ void max_pool(float *y, const float *x, int m) {
    long i = COLUMN, j = ROW;
    if (i >= m / 2 || j >= m / 2) return;
    const float *p = x + 2 * j * m + 2 * i;
    y[j * (m / 2) + i] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[m], p[m + 1]));
}

__global__ void conv_channels(float *y, const float *x, const float *w, int m, int channels) {
    long i = COLUMN, j = ROW;
    if (i < 1 || j < 1 || i >= m - 1 || j >= m - 1) return;
    float sum = 0;
    for (int k = 0; k < channels; k++)
        for (int q = -1; q <= 1; q++)
            for (int p = -1; p <= 1; p++) sum += x[(long)k * m * m + (j + q) * m + i + p] * w[k * 9 + (q + 1) * 3 + p + 1];
    y[j * m + i] = sum;
}

__global__ void lattice_boltzmann(float *y, const float *x, int m) {
    long i = COLUMN, j = ROW, n = (long)m * m;
    if (i < 1 || j < 1 || i >= m - 1 || j >= m - 1) return;
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float f[9], rho = 0, vx = 0, vy = 0;
    for (int k = 0; k < 9; k++) {
        f[k] = x[k * n + (j - ey[k]) * m + i - ex[k]];
        rho += f[k];
        vx += f[k] * ex[k];
        vy += f[k] * ey[k];
    }
    for (int k = 0; k < 9; k++) {
        float e = ex[k] * vx + ey[k] * vy;
        y[k * n + j * m + i] = 0.4f * f[k] + 0.6f * (rho / 9 + e / 3 - (vx * vx + vy * vy) / 6);
    }
}

__global__ void floyd_warshall(float *d, int m, int k) {
    long i = COLUMN, j = ROW;
    if (i < m && j < m) d[j * m + i] = fminf(d[j * m + i], d[j * m + k] + d[(long)k * m + i]);
}

// ---- matrices

__global__ void matmul_naive(float *z, const float *x, const float *y, int m) {
    long i = COLUMN, j = ROW;
    if (i >= m || j >= m) return;
    float sum = 0;
    for (int k = 0; k < m; k++) sum += x[j * m + k] * y[(long)k * m + i];
    z[j * m + i] = sum;
}

template <int T, typename R>
__global__ void matmul_tiled(R *z, const R *x, const R *y, int m) {
    __shared__ R s[T][T], t[T][T];
    int i = threadIdx.x % T, j = threadIdx.x / T;
    long col = blockIdx.x * T + i, row = blockIdx.y * T + j;
    R sum = 0;
    for (int k = 0; k < m; k += T) {
        s[j][i] = x[row * m + k + i];
        t[j][i] = y[(long)(k + j) * m + col];
        __syncthreads();
        for (int q = 0; q < T; q++) sum += s[j][q] * t[q][i];
        __syncthreads();
    }
    z[row * m + col] = sum;
}

__global__ void matmul_tensor(float *z, const half *x, const half *y, int m) {
    using namespace nvcuda::wmma;
    long warp = AT / 32, tiles = m / 16, col = warp % tiles * 16, row = warp / tiles * 16;
    if (row >= m) return;
    fragment<matrix_a, 16, 16, 16, half, row_major> p;
    fragment<matrix_b, 16, 16, 16, half, row_major> q;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int k = 0; k < m; k += 16) {
        load_matrix_sync(p, x + row * m + k, m);
        load_matrix_sync(q, y + (long)k * m + col, m);
        mma_sync(sum, p, q, sum);
    }
    store_matrix_sync(z + row * m + col, sum, m, mem_row_major);
}

__global__ void matvec(float *y, const float *m, const float *x, int n) {
    long warp = AT / 32;
    if (warp >= n) return;
    float sum = 0;
    for (int k = threadIdx.x % 32; k < n; k += 32) sum += m[warp * n + k] * x[k];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
    if (threadIdx.x % 32 == 0) y[warp] = sum;
}

__global__ void matvec_columns(float *y, const float *m, const float *x, int n) {
    long i = AT;
    if (i >= n) return;
    float sum = 0;
    for (long k = 0; k < n; k++) sum += m[k * n + i] * x[k];
    y[i] = sum;
}

__global__ void softmax_rows(float *y, const float *x, int wide) {
    extern __shared__ float part[];
    const float *row = x + (long)blockIdx.x * wide;
    float top = -1e30f, sum = 0;
    for (int k = threadIdx.x; k < wide; k += blockDim.x) top = fmaxf(top, row[k]);
    part[threadIdx.x] = top;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
        __syncthreads();
    }
    top = part[0];
    __syncthreads();
    for (int k = threadIdx.x; k < wide; k += blockDim.x) sum += expf(row[k] - top);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    for (int k = threadIdx.x; k < wide; k += blockDim.x) y[(long)blockIdx.x * wide + k] = expf(row[k] - top) / part[0];
}

__global__ void layer_norm(float *y, const float *x, int wide, long rows) {
    long warp = AT / 32;
    if (warp >= rows) return;
    const float *row = x + warp * wide;
    float sum = 0, squares = 0;
    for (int k = threadIdx.x % 32; k < wide; k += 32) {
        sum += row[k];
        squares += row[k] * row[k];
    }
    for (int s = 16; s > 0; s /= 2) {
        sum += __shfl_xor_sync(~0u, sum, s);
        squares += __shfl_xor_sync(~0u, squares, s);
    }
    float mean = sum / wide, scale = rsqrtf(squares / wide - mean * mean + 1e-5f);
    for (int k = threadIdx.x % 32; k < wide; k += 32) y[warp * wide + k] = (row[k] - mean) * scale;
}

// ---- sparse, particles, learning

__global__ void spmv_scalar(float *y, const float *x, const float *value, const int *column, int each, long n) {
    long i = AT;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < each; k++) sum += value[i * each + k] * x[column[i * each + k] % n];
    y[i] = sum;
}

__global__ void spmv_vector(float *y, const float *x, const float *value, const int *column, int each, long n) {
    long warp = AT / 32;
    if (warp >= n) return;
    float sum = 0;
    for (int k = threadIdx.x % 32; k < each; k += 32) sum += value[warp * each + k] * x[column[warp * each + k] % n];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
    if (threadIdx.x % 32 == 0) y[warp] = sum;
}

__global__ void bodies(float4 *force, const float4 *body, int n) {
    long i = AT;
    if (i >= n) return;
    float4 own = body[i];
    float fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < n; k++) {
        float dx = body[k].x - own.x, dy = body[k].y - own.y, dz = body[k].z - own.z;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), w = body[k].w * inverse * inverse * inverse;
        fx += dx * w;
        fy += dy * w;
        fz += dz * w;
    }
    force[i] = make_float4(fx, fy, fz, 0);
}

__global__ void bodies_shared(float4 *force, const float4 *body, int n) {
    extern __shared__ float4 near[];
    long i = AT;
    float4 own = body[i < n ? i : 0];
    float fx = 0, fy = 0, fz = 0;
    for (int from = 0; from < n; from += blockDim.x) {
        near[threadIdx.x] = body[from + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float dx = near[k].x - own.x, dy = near[k].y - own.y, dz = near[k].z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), w = near[k].w * inverse * inverse * inverse;
            fx += dx * w;
            fy += dy * w;
            fz += dz * w;
        }
        __syncthreads();
    }
    if (i < n) force[i] = make_float4(fx, fy, fz, 0);
}

__global__ void nearest_centre(int *own, const float *x, const float *centre, int centres, long n) {
    long i = AT;
    if (i >= n) return;
    float best = 1e30f;
    int who = 0;
    for (int k = 0; k < centres; k++) {
        float sum = 0;
        for (int d = 0; d < 8; d++) {
            float t = x[d * n + i] - centre[k * 8 + d];
            sum += t * t;
        }
        if (sum < best) {
            best = sum;
            who = k;
        }
    }
    own[i] = who;
}

__global__ void butterfly(float2 *x, int half_width, long n) {
    long i = AT;
    if (i >= n / 2) return;
    long group = i / half_width, k = i % half_width, p = group * 2 * half_width + k, q = p + half_width;
    float s, co;
    __sincosf(-3.14159265f * k / half_width, &s, &co);
    float2 f = x[p], g = x[q], t = make_float2(co * g.x - s * g.y, co * g.y + s * g.x);
    x[p] = make_float2(f.x + t.x, f.y + t.y);
    x[q] = make_float2(f.x - t.x, f.y - t.y);
}

// ---- what is launched

struct Kernel {
    const char *name;
    long sizes[3];  // elements, or the side of a grid or matrix
    std::function<void(long, int, cudaStream_t)> launch;
};

static unsigned blocks(long n, int block) { return (unsigned)((n + block - 1) / block); }
static dim3 plane(long m, int block) { return dim3((m + 31) / 32, (m + block / 32 - 1) / (block / 32)); }

#define LINE(name, n1, n2, n3, work, ...) \
    {#name, {n1, n2, n3}, [](long n, int t, cudaStream_t s) { name<<<blocks(work, t), t, 0, s>>>(__VA_ARGS__); }}
#define SHARED(name, n1, n2, n3, bytes, ...) \
    {#name, {n1, n2, n3}, [](long n, int t, cudaStream_t s) { name<<<blocks(n, t), t, bytes, s>>>(__VA_ARGS__); }}
#define PLANE(name, n1, n2, n3, ...) \
    {#name, {n1, n2, n3}, [](long n, int t, cudaStream_t s) { name<<<plane(n, t), t, 0, s>>>(__VA_ARGS__); }}

template <typename R>
static void tiled(R *z, const R *x, const R *y, long m, int t, cudaStream_t s) {
    if (t < 256) matmul_tiled<8, R><<<dim3(m / 8, m / 8), 64, 0, s>>>(z, x, y, (int)m);
    else if (t < 1024) matmul_tiled<16, R><<<dim3(m / 16, m / 16), 256, 0, s>>>(z, x, y, (int)m);
    else matmul_tiled<32, R><<<dim3(m / 32, m / 32), 1024, 0, s>>>(z, x, y, (int)m);
}

constexpr long K = 1024, M = 1024 * 1024;

static std::vector<Kernel> kernels() {
    return {
        LINE(copy, M, 8 * M, 64 * M, n, c, a, n),
        LINE(saxpy, M, 8 * M, 64 * M, n, c, a, 0.5f, n),
        LINE(triad, M, 8 * M, 64 * M, n, c, a, b, 0.5f, n),
        LINE(daxpy, M / 2, 4 * M, 32 * M, n, v, u, 0.5, n),
        LINE(copy_float4, M / 4, 2 * M, 16 * M, n, (float4 *)c, (float4 *)a, n),
        LINE(copy_strided, M, 4 * M, 32 * M, n, c, a, n),
        LINE(gather, M, 4 * M, 16 * M, n, c, a, index_, n),
        LINE(scatter, M, 4 * M, 16 * M, n, c, a, index_, n),
        LINE(pointer_chase, 64 * K, M, 4 * M, n, rows_, index_, 32, n),
        LINE(gelu, M, 8 * M, 64 * M, n, c, a, n),
        LINE(black_scholes, M, 8 * M, 32 * M, n, b, c, a, n),
        LINE(polynomial, M, 4 * M, 16 * M, n, c, a, 128, n),
        LINE(fma_chains, 256 * K, 2 * M, 8 * M, n, c, a, 256, n),
        LINE(double_chains, 256 * K, M, 4 * M, n, v, u, 128, n),
        LINE(hash_words, 256 * K, 2 * M, 16 * M, n, bins, index_, 64, n),
        LINE(count_bits, M, 8 * M, 64 * M, n, rows_, index_, n),
        LINE(divergent, M, 4 * M, 16 * M, n, c, a, n),
        LINE(mandelbrot, 256 * K, M, 4 * M, n, rows_, (int)std::lround(std::sqrt((double)n)), 500, n),
        LINE(monte_carlo_pi, 64 * K, 512 * K, 2 * M, n, bins, 256, n),
        LINE(substitute, 512 * K, 4 * M, 16 * M, n, bins, index_, 16, n),
        SHARED(reduce_shared, M, 8 * M, 64 * M, t * 4, c, a, n),
        LINE(reduce_shuffle, M, 8 * M, 64 * M, n, c, a, n),
        LINE(dot_atomic, 256 * K, 2 * M, 16 * M, n, c, a, b, n),
        LINE(histogram_global, 256 * K, 2 * M, 8 * M, n, bins, index_, n),
        LINE(histogram_shared, M, 8 * M, 64 * M, (n + 15) / 16, bins, index_, n),
        SHARED(scan_blocks, M, 8 * M, 32 * M, t * 4, c, a, n),
        LINE(bitonic_step, M, 8 * M, 64 * M, n, bins, 64, 4096, n),
        PLANE(transpose_naive, K, 4 * K, 8 * K, c, a, (int)n),
        {"transpose_tiled",
         {K, 4 * K, 8 * K},
         [](long n, int t, cudaStream_t s) { transpose_tiled<<<dim3(n / 32, n / 32), t, 0, s>>>(c, a, (int)n); }},
        LINE(stencil_line, M, 8 * M, 64 * M, n, c, a, n),
        PLANE(jacobi, K, 3 * K, 8 * K, c, a, (int)n),
        LINE(stencil_cube, 96, 192, 384, n *n *n, c, a, (int)n),
        PLANE(sobel, K, 3 * K, 8 * K, c, a, (int)n),
        PLANE(blur, K, 2 * K, 6 * K, c, a, (int)n),
        PLANE(bilateral, 512, 2 * K, 4 * K, c, a, (int)n),
        PLANE(max_pool, K, 4 * K, 8 * K, c, a, (int)n),
        PLANE(conv_channels, 256, 512, K, c, a, b, (int)n, 32),
        PLANE(lattice_boltzmann, 512, K, 2560, c, a, (int)n),
        PLANE(floyd_warshall, K, 3 * K, 8 * K, c, (int)n, (int)n / 2),
        PLANE(matmul_naive, 512, K, 2 * K, c, a, b, (int)n),
        {"matmul_tiled", {512, K, 2 * K}, [](long n, int t, cudaStream_t s) { tiled<float>(c, a, b, n, t, s); }},
        {"matmul_double", {512, K, 2 * K}, [](long n, int t, cudaStream_t s) { tiled<double>(v, u, u + n * n, n, t, s); }},
        LINE(matmul_tensor, 512, K, 2 * K, n *n / 8, c, ha, hb, (int)n),
        LINE(matvec, K, 3 * K, 8 * K, n * 32, c, a, b, (int)n),
        LINE(matvec_columns, K, 3 * K, 8 * K, n, c, a, b, (int)n),
        {"softmax_rows",
         {2 * K, 16 * K, 64 * K},
         [](long n, int t, cudaStream_t s) { softmax_rows<<<(unsigned)n, t, t * 4, s>>>(c, a, 1024); }},
        LINE(layer_norm, 2 * K, 16 * K, 64 * K, n * 32, c, a, 1024, n),
        LINE(spmv_scalar, 64 * K, 512 * K, 2 * M, n, c, a, b, index_, 16, n),
        LINE(spmv_vector, 16 * K, 128 * K, M, n * 32, c, a, b, index_, 64, n),
        LINE(bodies, 4 * K, 16 * K, 32 * K, n, (float4 *)c, (float4 *)a, (int)n),
        SHARED(bodies_shared, 4 * K, 16 * K, 32 * K, t * 16, (float4 *)c, (float4 *)a, (int)n),
        LINE(nearest_centre, 256 * K, 2 * M, 8 * M, n, rows_, a, b, 64, n),
        LINE(butterfly, M, 8 * M, 32 * M, n / 2, (float2 *)c, 1024, n),
    };
}

// ---- set-up

__global__ void fill_floats(float *x, unsigned seed, long n) {
    long i = AT;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2654435761u ^ seed;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    x[i] = (h & 0xffffff) / 16777216.0f;
}

__global__ void fill_doubles(double *x, long n) {
    long i = AT;
    if (i < n) x[i] = (i * 7919 % 10007) / 10007.0;
}

__global__ void fill_words(int *x, long n) {
    long i = AT;
    if (i >= n) return;
    unsigned h = (unsigned)i * 0x9e3779b1u;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    x[i] = (int)(h & 0x7fffffff);
}

__global__ void fill_halves(half *x, const float *from, long n) {
    long i = AT;
    if (i < n) x[i] = __float2half(from[i] - 0.5f);
}

template <typename T>
static T *array(long n) {
    void *at = nullptr;
    CHECK(cudaMalloc(&at, n * sizeof(T)));
    CHECK(cudaMemset(at, 0, n * sizeof(T)));
    return (T *)at;
}

static void fill() {
    a = array<float>(kFloats);
    b = array<float>(kFloats);
    c = array<float>(kFloats);
    u = array<double>(kFloats / 2);
    v = array<double>(kFloats / 2);
    index_ = array<int>(kFloats);
    rows_ = array<int>(kFloats);
    bins = array<unsigned>(kFloats);
    ha = array<half>(4 * M);
    hb = array<half>(4 * M);
    unsigned char table[256];
    for (int k = 0; k < 256; k++) table[k] = (unsigned char)(k * 167 + 13);
    CHECK(cudaMemcpyToSymbol(box, table, 256));
    fill_floats<<<blocks(kFloats, 256), 256>>>(a, 1, kFloats);
    fill_floats<<<blocks(kFloats, 256), 256>>>(b, 2, kFloats);
    fill_doubles<<<blocks(kFloats / 2, 256), 256>>>(u, kFloats / 2);
    fill_words<<<blocks(kFloats, 256), 256>>>(index_, kFloats);
    fill_halves<<<blocks(4 * M, 256), 256>>>(ha, a, 4 * M);
    fill_halves<<<blocks(4 * M, 256), 256>>>(hb, b, 4 * M);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

// ---- what is measured

static const int kBlocks[] = {64, 256, 1024};

static void shapes() {
    for (const Kernel &kernel : kernels())
        for (long n : kernel.sizes)
            for (int block : kBlocks) {
                kernel.launch(n, block, nullptr);
                CHECK(cudaGetLastError());
                CHECK(cudaDeviceSynchronize());
                CHECK(cudaProfilerStart());
                kernel.launch(n, block, nullptr);
                CHECK(cudaDeviceSynchronize());
                CHECK(cudaProfilerStop());
            }
}

// The driver's library that tells clocks and energy, loaded by name: its header is not part of every installation.
struct Card {
    void *device = nullptr;
    int (*energy_of)(void *, unsigned long long *);  // millijoules since the driver was loaded
    int (*clock_of)(void *, int, unsigned *);        // MHz; kind 1 is that of the multiprocessors

    Card() {
        void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        CHECK(library == nullptr);
        auto begin = (int (*)())dlsym(library, "nvmlInit_v2");
        auto find = (int (*)(unsigned, void **))dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
        energy_of = (int (*)(void *, unsigned long long *))dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
        clock_of = (int (*)(void *, int, unsigned *))dlsym(library, "nvmlDeviceGetClockInfo");
        CHECK(begin());
        CHECK(find(0, &device));
    }
};

using Clock = std::chrono::steady_clock;
static double seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

struct Run {
    double time_us, power_w, clock_mhz;
    long launches;
};

// Launches a kernel over and over for `least` seconds behind a tenth of warming up. The time of a launch is the
// median over batches of about five milliseconds, two of which are always queued. Power is the difference of the
// GPU's counter of energy between its first and last change, over the time between them.
static Run measured(const Kernel &kernel, long n, int block, cudaStream_t stream, const Card &card, double least) {
    cudaEvent_t mark[3];
    for (auto &event : mark) CHECK(cudaEventCreate(&event));
    kernel.launch(n, block, stream);
    CHECK(cudaEventRecord(mark[0], stream));
    for (int k = 0; k < 4; k++) kernel.launch(n, block, stream);
    CHECK(cudaEventRecord(mark[1], stream));
    CHECK(cudaEventSynchronize(mark[1]));
    CHECK(cudaGetLastError());
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, mark[0], mark[1]));
    int batch = (int)std::clamp(5.0 / (ms / 4 + 1e-4), 1.0, 1000.0);
    std::vector<double> times, clocks;
    unsigned long long last = 0, first_energy = 0, last_energy = 0;
    double first_at = -1, last_at = -1;
    long launches = 0;
    auto begun = Clock::now();
    CHECK(cudaEventRecord(mark[0], stream));
    for (int k = 1;; k++) {
        for (int q = 0; q < batch; q++) kernel.launch(n, block, stream);
        CHECK(cudaEventRecord(mark[k % 3], stream));
        launches += batch;
        if (k < 2) continue;
        while (cudaEventQuery(mark[(k - 1) % 3]) == cudaErrorNotReady) {
            unsigned long long energy = 0;
            CHECK(card.energy_of(card.device, &energy));
            double now = seconds(begun);
            if (last && energy != last && now > 0.1) {
                if (first_at < 0) first_at = now, first_energy = energy;
                last_at = now, last_energy = energy;
            }
            last = energy;
        }
        CHECK(cudaEventElapsedTime(&ms, mark[(k - 2) % 3], mark[(k - 1) % 3]));
        if (seconds(begun) > 0.1 || times.empty()) times.push_back(ms * 1000.0 / batch);
        if (k % 8 == 2) {
            unsigned mhz = 0;
            CHECK(card.clock_of(card.device, 1, &mhz));
            clocks.push_back(mhz);
        }
        if (seconds(begun) > least && (last_at > first_at || seconds(begun) > least + 0.5)) break;
    }
    CHECK(cudaStreamSynchronize(stream));
    for (auto &event : mark) CHECK(cudaEventDestroy(event));
    auto middle = [](std::vector<double> &of) {
        if (of.empty()) return NAN + 0.0;
        std::nth_element(of.begin(), of.begin() + of.size() / 2, of.end());
        return of[of.size() / 2];
    };
    double power = last_at > first_at ? (last_energy - first_energy) / 1000.0 / (last_at - first_at) : NAN;
    return {middle(times), power, middle(clocks), launches};
}

static void scaling(double least) {
    CHECK(cuInit(0));
    Card card;
    CUdevice device;
    CHECK(cuDeviceGet(&device, 0));
    CUdevResource all;
    CHECK(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    const unsigned counts[] = {8, 16, 24, 32, 48, 64, 80, 96, 112, 132};
    std::vector<CUstream> streams;
    std::vector<unsigned> given;
    for (unsigned count : counts) {
        if (count > all.sm.smCount) continue;
        CUdevResource part = all, rest;
        unsigned groups = 1;
        if (count < all.sm.smCount) CHECK(cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, count));
        CUdevResourceDesc description;
        CHECK(cuDevResourceGenerateDesc(&description, &part, 1));
        CUgreenCtx context;
        CHECK(cuGreenCtxCreate(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
        CUstream stream;
        CHECK(cuGreenCtxStreamCreate(&stream, context, CU_STREAM_NON_BLOCKING, 0));
        streams.push_back(stream);
        given.push_back(part.sm.smCount);
    }
    cudaDeviceProp about;
    CHECK(cudaGetDeviceProperties(&about, 0));
    int khz = 0, bits = 0;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    double bandwidth = 2.0 * khz * bits / 8e6;  // two transfers in each cycle
    printf("gpu,kernel,size,multiprocessors,memory_bandwidth (GB/s),time (us),power (W),clock (MHz),launches\n");
    for (const Kernel &kernel : kernels())
        for (int which = 1; which < 3; which++)
            for (size_t at = 0; at < streams.size(); at++) {
                long n = kernel.sizes[which];
                Run run = measured(kernel, n, 256, streams[at], card, least);
                printf("%s,%s,%ld,%u,%.0f,%.4g,%.4g,%.0f,%ld\n", about.name, kernel.name, n, given[at], bandwidth,
                       run.time_us, run.power_w, run.clock_mhz, run.launches);
                fflush(stdout);
            }
}

static void list() {
    printf("kernel,size,block\n");
    for (const Kernel &kernel : kernels())
        for (long n : kernel.sizes)
            for (int block : kBlocks) printf("%s,%ld,%d\n", kernel.name, n, block);
}

// ---- whether they compute what they say

template <typename T>
static std::vector<T> host(const T *at, long n) {
    std::vector<T> values(n);
    CHECK(cudaMemcpy(values.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

static int failures = 0;
static void told(const char *what, double error, double bound) {
    bool fine = error <= bound;
    failures += !fine;
    fprintf(stderr, "%-18s error %.3g (at most %.3g) %s\n", what, error, bound, fine ? "ok" : "WRONG");
}

static void check() {
    const long n = M, m = 512;
    auto all = kernels();
    auto x = host(a, n), y = host(b, n);
    auto words = host(index_, n);
    auto run = [&](const char *name, long size, int block) {
        CHECK(cudaMemset(c, 0xff, 4 * n));
        for (auto &kernel : all)
            if (!strcmp(kernel.name, name)) kernel.launch(size, block, nullptr);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    };
    auto worst = [&](const char *name, long count, double bound, auto &&expected) {
        auto got = host(c, count);
        double error = 0;
        for (long i = 0; i < count; i++) {
            double want = expected(i);
            double off = std::isnan(want) ? 0 : std::fabs(got[i] - want) / (1 + std::fabs(want));
            error = std::isnan(off) ? 1e9 : std::max(error, off);
        }
        told(name, error, bound);
    };
    for (int block : kBlocks) {
        run("copy", n, block);
        worst("copy", n, 0, [&](long i) { return x[i]; });
        run("triad", n, block);
        worst("triad", n, 1e-6, [&](long i) { return x[i] + 0.5 * y[i]; });
        run("copy_float4", n / 4, block);
        worst("copy_float4", n, 0, [&](long i) { return x[i]; });
        run("gather", n, block);
        worst("gather", n, 0, [&](long i) { return x[words[i] % n]; });
        run("gelu", n, block);
        worst("gelu", n, 1e-5, [&](long i) {
            double t = x[i];
            return 0.5 * t * (1 + std::tanh(0.7978845608 * (t + 0.044715 * t * t * t)));
        });
        run("reduce_shared", n, block);
        worst("reduce_shared", n / block, 1e-4, [&](long i) {
            double sum = 0;
            for (int k = 0; k < block; k++) sum += x[i * block + k];
            return sum;
        });
        run("reduce_shuffle", n, block);
        worst("reduce_shuffle", n / 32, 1e-5, [&](long i) {
            double sum = 0;
            for (int k = 0; k < 32; k++) sum += x[i * 32 + k];
            return sum;
        });
        run("scan_blocks", n, block);
        double sum = 0;
        worst("scan_blocks", n, 1e-4, [&](long i) { return sum = i % block ? sum + x[i] : x[i]; });
        for (const char *name : {"transpose_naive", "transpose_tiled"}) {
            run(name, 1024, block);
            worst(name, n, 0, [&](long i) { return x[i % 1024 * 1024 + i / 1024]; });
        }
        run("jacobi", 1024, block);
        worst("jacobi", n, 1e-6, [&](long i) -> double {
            long col = i % 1024, row = i / 1024;
            if (col < 1 || row < 1 || col > 1022 || row > 1022) return NAN;
            return 0.25 * ((double)x[i - 1] + x[i + 1] + x[i - 1024] + x[i + 1024]);
        });
        auto product = [&](long i) -> double {
            if (i % 97) return NAN;
            double sum = 0;
            for (long k = 0; k < m; k++) sum += (double)x[i / m * m + k] * y[k * m + i % m];
            return sum;
        };
        for (const char *name : {"matmul_naive", "matmul_tiled"}) {
            run(name, m, block);
            worst(name, m * m, 1e-4, product);
        }
        run("matmul_tensor", m, block);
        worst("matmul_tensor", m * m, 5e-3, [&](long i) -> double {
            if (i % 97) return NAN;
            double sum = 0;
            for (long k = 0; k < m; k++) sum += (x[i / m * m + k] - 0.5) * (y[k * m + i % m] - 0.5);
            return sum;
        });
        run("matvec", 1024, block);
        worst("matvec", 1024, 1e-4, [&](long i) {
            double sum = 0;
            for (long k = 0; k < 1024; k++) sum += (double)x[i * 1024 + k] * y[k];
            return sum;
        });
        run("softmax_rows", 1024, block);
        worst("softmax_rows", n, 1e-5, [&](long i) -> double {
            if (i % 1009) return NAN;
            double sum = 0;
            for (long k = 0; k < 1024; k++) sum += std::exp((double)x[i / 1024 * 1024 + k]);
            return std::exp((double)x[i]) / sum;
        });
        run("spmv_scalar", 64 * K, block);
        worst("spmv_scalar", 64 * K, 1e-4, [&](long i) {
            double sum = 0;
            for (int k = 0; k < 16; k++) sum += (double)y[i * 16 + k] * x[words[i * 16 + k] % (64 * K)];
            return sum;
        });
        for (const char *name : {"bodies", "bodies_shared"}) {
            run(name, 4096, block);
            worst(name, 4 * 4096, 1e-3, [&](long i) -> double {
                if (i % 4 || i % 64) return NAN;
                double sum = 0;
                for (long k = 0; k < 4096; k++) {
                    double dx = x[4 * k] - x[i], dy = x[4 * k + 1] - x[i + 1], dz = x[4 * k + 2] - x[i + 2];
                    double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
                    sum += dx * x[4 * k + 3] * r * r * r;
                }
                return sum;
            });
        }
    }
    fprintf(stderr, failures ? "%d results are wrong\n" : "all results are right\n", failures);
    if (failures) exit(1);
}

int main(int argc, char **argv) {
    std::string verb = argc > 1 ? argv[1] : "";
    if (verb == "list") return list(), 0;
    fill();
    if (verb == "shapes") shapes();
    else if (verb == "scaling") scaling(argc > 2 ? atof(argv[2]) : 0.28);
    else if (verb == "check") check();
    else return fprintf(stderr, "gpu list|shapes|scaling [SECONDS]|check\n"), 1;
    CHECK(cudaDeviceSynchronize());
    return 0;
}
