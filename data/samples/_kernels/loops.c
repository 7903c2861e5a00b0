// Loop kernels of many kinds; each function holds one loop nest whose innermost loop is studied.
// The code is compiled, never run, so no caller and no data are needed.
#include <stddef.h>
#include <stdint.h>

#define R restrict

// ---- Linear algebra on vectors -------------------------------------------------------------

void saxpy(float *R y, const float *R x, float a, int n) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

void daxpy(double *R y, const double *R x, double a, int n) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

float sdot(const float *R x, const float *R y, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

double ddot(const double *R x, const double *R y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

void triad(double *R a, const double *R b, const double *R c, double s, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

void add_i32(int *R a, const int *R b, const int *R c, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] + c[i];
}

void multiply_i32(int *R a, const int *R b, const int *R c, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] * c[i];
}

void multiply_i64(int64_t *R a, const int64_t *R b, const int64_t *R c, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] * c[i];
}

// ---- Reductions and scans ------------------------------------------------------------------

float sum_f32(const float *R x, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}

int64_t sum_i32_wide(const int *R x, int n) {
  int64_t s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}

float max_f32(const float *R x, int n) {
  float m = x[0];
  for (int i = 1; i < n; i++) m = x[i] > m ? x[i] : m;
  return m;
}

int argmin_i32(const int *R x, int n) {
  int best = x[0], at = 0;
  for (int i = 1; i < n; i++) {
    at = x[i] < best ? i : at;
    best = x[i] < best ? x[i] : best;
  }
  return at;
}

double variance_f64(const double *R x, int n) {
  double s = 0, q = 0;
  for (int i = 0; i < n; i++) {
    s += x[i];
    q += x[i] * x[i];
  }
  return q - s * s / n;
}

double kahan_sum_f64(const double *R x, int n) {
  double s = 0, c = 0;
  for (int i = 0; i < n; i++) {
    double y = x[i] - c, t = s + y;
    c = (t - s) - y;
    s = t;
  }
  return s;
}

void cosine_f32(float *R out, const float *R x, const float *R y, int n) {
  float xy = 0, xx = 0, yy = 0;
  for (int i = 0; i < n; i++) {
    xy += x[i] * y[i];
    xx += x[i] * x[i];
    yy += y[i] * y[i];
  }
  out[0] = xy;
  out[1] = xx;
  out[2] = yy;
}

void prefix_sum_i32(int *R out, const int *R x, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) out[i] = s += x[i];
}

void prefix_product_f64(double *R out, const double *R x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) out[i] = s *= x[i];
}

// ---- Stencils and matrices -----------------------------------------------------------------

void stencil3_f64(double *R out, const double *R x, int n) {
  for (int i = 1; i < n - 1; i++) out[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

void stencil5_f64(double *R out, const double *R x, int n, ptrdiff_t w) {
  for (int i = 0; i < n; i++)
    out[i] = 0.2 * (x[i] + x[i - 1] + x[i + 1] + x[i - w] + x[i + w]);
}

void stencil7_f32(float *R out, const float *R x, int n, ptrdiff_t w, ptrdiff_t p) {
  for (int i = 0; i < n; i++)
    out[i] = 0.4f * x[i] + 0.1f * (x[i - 1] + x[i + 1] + x[i - w] + x[i + w] + x[i - p] + x[i + p]);
}

void seidel_f64(double *x, int n) {
  double left = x[0];
  for (int i = 1; i < n - 1; i++) x[i] = left = (left + x[i] + x[i + 1]) * (1.0 / 3);
}

void matmul_row_f32(float *R c, const float *R a, const float *R b, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * 512 + j] += a[i * 512 + k] * b[k * 512 + j];
}

void matmul_dot_f64(double *R c, const double *R a, const double *R b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) s += a[i * 512 + k] * b[k * 512 + j];
      c[i * 512 + j] = s;
    }
}

void matmul_tile_f32(float *R c, const float *R a, const float *R b, int n) {
  float s00 = 0, s01 = 0, s02 = 0, s10 = 0, s11 = 0, s12 = 0, s20 = 0, s21 = 0, s22 = 0;
  for (int k = 0; k < n; k++, a += 3, b += 3) {
    s00 += a[0] * b[0];
    s01 += a[0] * b[1];
    s02 += a[0] * b[2];
    s10 += a[1] * b[0];
    s11 += a[1] * b[1];
    s12 += a[1] * b[2];
    s20 += a[2] * b[0];
    s21 += a[2] * b[1];
    s22 += a[2] * b[2];
  }
  c[0] = s00, c[1] = s01, c[2] = s02, c[3] = s10, c[4] = s11;
  c[5] = s12, c[6] = s20, c[7] = s21, c[8] = s22;
}

void transpose_f32(float *R out, const float *R x, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[i * 512 + j] = x[j * 512 + i];
}

double sparse_row_f64(const double *R value, const int *R column, const double *R x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += value[i] * x[column[i]];
  return s;
}

void shortest_paths_f32(float *R row, const float *R other, float d, int n) {
  for (int i = 0; i < n; i++) {
    float through = d + other[i];
    row[i] = through < row[i] ? through : row[i];
  }
}

// ---- Irregular access ----------------------------------------------------------------------

void gather_f64(double *R out, const double *R x, const int *R at, int n) {
  for (int i = 0; i < n; i++) out[i] = x[at[i]] * 1.5;
}

void histogram_u8(uint32_t *R bins, const uint8_t *R x, int n) {
  for (int i = 0; i < n; i++) bins[x[i]]++;
}

struct node {
  struct node *next;
  int64_t value;
};

void *pointer_chase(struct node *p, int n) {
  for (int i = 0; i < n; i++) p = p->next;
  return p;
}

int64_t list_sum(const struct node *p) {
  int64_t s = 0;
  for (; p; p = p->next) s += p->value * 3;
  return s;
}

int64_t bisect_i64(const int64_t *R x, int64_t key, int64_t n) {
  const int64_t *base = x;
  while (n > 1) {
    int64_t half = n >> 1;
    base = base[half] < key ? base + half : base;
    n -= half;
  }
  return base - x;
}

void shift_insert_i32(int *x, int i, int key) {
  while (i > 0 && x[i - 1] > key) {
    x[i] = x[i - 1];
    i--;
  }
  x[i] = key;
}

// ---- Hashing, random numbers, bit manipulation ---------------------------------------------

uint32_t fnv_hash(const uint8_t *R s, int n) {
  uint32_t h = 2166136261u;
  for (int i = 0; i < n; i++) h = (h ^ s[i]) * 16777619u;
  return h;
}

void murmur_mix(uint64_t *R x, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t h = x[i];
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdull;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
    x[i] = h ^ (h >> 33);
  }
}

void jenkins_mix(uint32_t *R x, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t a = x[i];
    a = (a + 0x7ed55d16) + (a << 12);
    a = (a ^ 0xc761c23c) ^ (a >> 19);
    a = (a + 0x165667b1) + (a << 5);
    a = (a + 0xd3a2646c) ^ (a << 9);
    x[i] = a;
  }
}

void xorshift(uint64_t *R out, uint64_t s, int n) {
  for (int i = 0; i < n; i++) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    out[i] = s;
  }
}

void lcg_f64(double *R out, uint64_t s, int n) {
  for (int i = 0; i < n; i++) {
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    out[i] = (double)(int64_t)(s >> 11) * 0x1p-53;
  }
}

void popcount_u32(uint32_t *R out, const uint32_t *R x, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t v = x[i];
    v = v - ((v >> 1) & 0x55555555);
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333);
    out[i] = (((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
  }
}

int clear_low_bits(uint64_t x) {
  int n = 0;
  for (; x; n += (int)(x % 3)) x &= x - 1;
  return n;
}

void reverse_bits_u32(uint32_t *R x, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t v = x[i];
    v = ((v >> 1) & 0x55555555) | ((v & 0x55555555) << 1);
    v = ((v >> 2) & 0x33333333) | ((v & 0x33333333) << 2);
    v = ((v >> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4);
    x[i] = (v >> 24) | ((v >> 8) & 0xff00) | ((v << 8) & 0xff0000) | (v << 24);
  }
}

void morton_code(uint32_t *R out, const uint16_t *R x, const uint16_t *R y, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t a = x[i], b = y[i];
    a = (a | (a << 8)) & 0x00ff00ff, b = (b | (b << 8)) & 0x00ff00ff;
    a = (a | (a << 4)) & 0x0f0f0f0f, b = (b | (b << 4)) & 0x0f0f0f0f;
    a = (a | (a << 2)) & 0x33333333, b = (b | (b << 2)) & 0x33333333;
    a = (a | (a << 1)) & 0x55555555, b = (b | (b << 1)) & 0x55555555;
    out[i] = a | (b << 1);
  }
}

uint32_t crc32_table(const uint32_t *R table, const uint8_t *R s, int n) {
  uint32_t c = ~0u;
  for (int i = 0; i < n; i++) c = table[(c ^ s[i]) & 255] ^ (c >> 8);
  return ~c;
}

uint32_t crc32_bits(uint32_t c, int n) {
  for (int i = 0; i < n; i++) c = (c >> 1) ^ (0xedb88320u & -(c & 1));
  return c;
}

uint32_t adler32(const uint8_t *R s, int n) {
  uint32_t a = 1, b = 0;
  for (int i = 0; i < n; i++) {
    a += s[i];
    b += a;
  }
  return b << 16 | (a & 0xffff);
}

void rotate_cipher(uint32_t *R x, const uint32_t *R key, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t v = x[i] ^ key[i];
    v = (v << 7) | (v >> 25);
    x[i] = (v + key[i]) ^ ((v << 13) | (v >> 19));
  }
}

uint64_t product_high(const uint64_t *R x, uint64_t h, int n) {
  for (int i = 0; i < n; i++) {
    unsigned __int128 p = (unsigned __int128)(h ^ x[i]) * 0x9e3779b97f4a7c15ull;
    h = (uint64_t)p ^ (uint64_t)(p >> 64);
  }
  return h;
}

// ---- Division, square roots, polynomials ---------------------------------------------------

void root_f32(float *R out, const float *R x, int n) {
  for (int i = 0; i < n; i++) out[i] = __builtin_sqrtf(x[i]);
}

void norm_f64(double *R out, const double *R x, const double *R y, int n) {
  for (int i = 0; i < n; i++) out[i] = __builtin_sqrt(x[i] * x[i] + y[i] * y[i]);
}

void ratio_f64(double *R out, const double *R x, const double *R y, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] / (1.0 + y[i]);
}

void normalise_f32(float *R x, float *R y, float *R z, int n) {
  for (int i = 0; i < n; i++) {
    float s = 1.0f / __builtin_sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    x[i] *= s;
    y[i] *= s;
    z[i] *= s;
  }
}

void polynomial7_f32(float *R out, const float *R x, int n) {
  for (int i = 0; i < n; i++) {
    float v = x[i];
    out[i] = ((((((0.1f * v + 0.2f) * v + 0.3f) * v + 0.4f) * v + 0.5f) * v + 0.6f) * v + 0.7f) * v + 0.8f;
  }
}

double horner_f64(const double *R c, double x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s = s * x + c[i];
  return s;
}

void rational_f64(double *R out, const double *R x, int n) {
  for (int i = 0; i < n; i++) {
    double v = x[i], q = v * v;
    out[i] = v * (1.0 + q * (0.105 + q * 0.001)) / (1.0 + q * (0.4 + q * (0.015 + q * 2e-4)));
  }
}

double newton_root(double a, double x, int n) {
  for (int i = 0; i < n; i++) x = 0.5 * (x + a / x);
  return x;
}

double logistic_map(double x, double r, int n) {
  for (int i = 0; i < n; i++) x = r * x * (1.0 - x);
  return x;
}

int mandelbrot(double cr, double ci, int n) {
  double x = 0, y = 0;
  int i = 0;
  for (; i < n && x * x + y * y < 4.0; i++) {
    double t = x * x - y * y + cr;
    y = 2.0 * x * y + ci;
    x = t;
  }
  return i;
}

uint32_t gcd_u32(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t t = a % b;
    a = b;
    b = t;
  }
  return a;
}

int digits_u64(uint8_t *R out, uint64_t x) {
  int n = 0;
  do {
    out[n++] = (uint8_t)('0' + x % 10);
    x /= 10;
  } while (x);
  return n;
}

int collatz(uint64_t x) {
  int n = 0;
  for (; x > 1; n++) {
    uint64_t odd = x & 1;
    x = odd ? 3 * x + 1 : x >> 1;
  }
  return n;
}

void gravity_f32(float *R out, const float *R x, const float *R y, const float *R z, float px, float py, float pz, int n) {
  float ax = 0, ay = 0, az = 0;
  for (int i = 0; i < n; i++) {
    float dx = x[i] - px, dy = y[i] - py, dz = z[i] - pz;
    float d = dx * dx + dy * dy + dz * dz + 0.01f;
    float f = 1.0f / (d * __builtin_sqrtf(d));
    ax += dx * f;
    ay += dy * f;
    az += dz * f;
  }
  out[0] = ax;
  out[1] = ay;
  out[2] = az;
}

// ---- Bytes, short integers, fixed point ----------------------------------------------------

void average_u8(uint8_t *R out, const uint8_t *R x, const uint8_t *R y, int n) {
  for (int i = 0; i < n; i++) out[i] = (uint8_t)((x[i] + y[i] + 1) >> 1);
}

void brighten_u8(uint8_t *R x, int n, int by) {
  for (int i = 0; i < n; i++) {
    int v = x[i] + by;
    x[i] = (uint8_t)(v > 255 ? 255 : v);
  }
}

void blend_u8(uint8_t *R out, const uint8_t *R x, const uint8_t *R y, int n, int alpha) {
  for (int i = 0; i < n; i++) out[i] = (uint8_t)((x[i] * alpha + y[i] * (256 - alpha)) >> 8);
}

int difference_u8(const uint8_t *R x, const uint8_t *R y, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    int d = x[i] - y[i];
    s += d < 0 ? -d : d;
  }
  return s;
}

int dot_i16(const int16_t *R x, const int16_t *R y, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

void scale_q15(int16_t *R out, const int16_t *R x, int gain, int n) {
  for (int i = 0; i < n; i++) {
    int v = (x[i] * gain + 0x4000) >> 15;
    out[i] = (int16_t)(v > 32767 ? 32767 : v < -32768 ? -32768 : v);
  }
}

void multiply_q16(int32_t *R out, const int32_t *R x, const int32_t *R y, int n) {
  for (int i = 0; i < n; i++) out[i] = (int32_t)(((int64_t)x[i] * y[i]) >> 16);
}

void gray_u8(uint8_t *R out, const uint8_t *R rgb, int n) {
  for (int i = 0; i < n; i++)
    out[i] = (uint8_t)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

void life_u8(uint8_t *R out, const uint8_t *R x, int n, ptrdiff_t w) {
  for (int i = 0; i < n; i++) {
    int s = x[i - 1] + x[i + 1] + x[i - w - 1] + x[i - w] + x[i - w + 1] + x[i + w - 1] + x[i + w] + x[i + w + 1];
    out[i] = (uint8_t)((s == 3) | ((s == 2) & x[i]));
  }
}

int count_above_f32(const float *R x, float limit, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += x[i] > limit;
  return s;
}

void clamp_f32(float *R x, float low, float high, int n) {
  for (int i = 0; i < n; i++) {
    float v = x[i] < low ? low : x[i];
    x[i] = v > high ? high : v;
  }
}

void int_to_float(float *R out, const int *R x, int n) {
  for (int i = 0; i < n; i++) out[i] = (float)x[i] * 0.5f;
}

void float_to_int(int *R out, const double *R x, int n) {
  for (int i = 0; i < n; i++) out[i] = (int)(x[i] * 100.0);
}

size_t string_length(const char *s) {
  const char *p = s;
  while (*p) p++;
  return (size_t)(p - s);
}

size_t first_difference(const uint8_t *R x, const uint8_t *R y, size_t n) {
  size_t i = 0;
  while (i < n && x[i] == y[i]) i++;
  return i;
}

int count_words(const uint8_t *R s, int n) {
  int words = 0, inside = 0;
  for (int i = 0; i < n; i++) {
    int letter = (uint8_t)((s[i] | 32) - 'a') < 26;
    words += letter & ~inside;
    inside = letter;
  }
  return words;
}

// ---- Signals -------------------------------------------------------------------------------

void complex_multiply_f32(float *R out, const float *R x, const float *R y, int n) {
  for (int i = 0; i < 2 * n; i += 2) {
    out[i] = x[i] * y[i] - x[i + 1] * y[i + 1];
    out[i + 1] = x[i] * y[i + 1] + x[i + 1] * y[i];
  }
}

void complex_norm_f64(double *R out, const double *R re, const double *R im, int n) {
  for (int i = 0; i < n; i++) out[i] = re[i] * re[i] + im[i] * im[i];
}

void fir8_f32(float *R out, const float *R x, const float *R h, int n) {
  float h0 = h[0], h1 = h[1], h2 = h[2], h3 = h[3], h4 = h[4], h5 = h[5], h6 = h[6], h7 = h[7];
  for (int i = 0; i < n; i++)
    out[i] = h0 * x[i] + h1 * x[i + 1] + h2 * x[i + 2] + h3 * x[i + 3] + h4 * x[i + 4] + h5 * x[i + 5] + h6 * x[i + 6] + h7 * x[i + 7];
}

void biquad_f64(double *R out, const double *R x, const double *R k, int n) {
  double b0 = k[0], b1 = k[1], b2 = k[2], a1 = k[3], a2 = k[4], s1 = 0, s2 = 0;
  for (int i = 0; i < n; i++) {
    double v = x[i], y = b0 * v + s1;
    s1 = b1 * v - a1 * y + s2;
    s2 = b2 * v - a2 * y;
    out[i] = y;
  }
}

void butterfly_f64(double *R ar, double *R ai, double *R br, double *R bi, const double *R wr, const double *R wi, int n) {
  for (int i = 0; i < n; i++) {
    double tr = br[i] * wr[i] - bi[i] * wi[i], ti = br[i] * wi[i] + bi[i] * wr[i];
    br[i] = ar[i] - tr;
    bi[i] = ai[i] - ti;
    ar[i] += tr;
    ai[i] += ti;
  }
}

void exponential_smooth_f32(float *R out, const float *R x, float a, int n) {
  float s = x[0];
  for (int i = 0; i < n; i++) out[i] = s += a * (x[i] - s);
}

void knapsack_row(int *R out, const int *R row, int weight, int value, int n) {
  for (int i = 0; i < n; i++) {
    int take = row[i - weight] + value;
    out[i] = take > row[i] ? take : row[i];
  }
}

void edit_distance_row(int *R row, const int *R above, const uint8_t *R s, uint8_t c, int n) {
  int left = row[0];
  for (int i = 1; i < n; i++) {
    int best = above[i - 1] + (s[i] != c);
    best = above[i] + 1 < best ? above[i] + 1 : best;
    row[i] = left = left + 1 < best ? left + 1 : best;
  }
}
