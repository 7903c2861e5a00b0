// Three steps of N bodies that attract each other.
#include "runtime.h"

static struct {
  double x, y, z, vx, vy, vz, mass;
} body[N];

static uint64_t work(void) {
  for (int i = 0; i < N; i++) {
    body[i].x = random_unit(), body[i].y = random_unit(), body[i].z = random_unit();
    body[i].mass = 1 + random_unit();
  }
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, dz = body[j].z - body[i].z;
        double d = dx * dx + dy * dy + dz * dz + 1e-3, f = 1e-4 * body[j].mass / (d * __builtin_sqrt(d));
        body[i].vx += f * dx, body[i].vy += f * dy, body[i].vz += f * dz;
      }
    for (int i = 0; i < N; i++)
      body[i].x += body[i].vx, body[i].y += body[i].vy, body[i].z += body[i].vz;
  }
  return (uint64_t)(1e3 * (1e4 + body[N / 2].x));
}
