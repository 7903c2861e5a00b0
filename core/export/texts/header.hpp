// $title
//
// Made by Ridgeline $version. C++17, header only. Nothing is allocated, and threads share constants alone.
//
//     std::array<double, $name::n> x = {...};       metrics in this order:
$metrics
//     $name::prediction p = $name::predict(x);
//     p.value          $response
//     p.low, p.high    $interval
//     p.flags          0, or bits: out_of_range a metric is outside its trained range,
//                      far the row is too far from the training trials, refused there is no prediction
//     p.cluster        the cluster whose model spoke, from 0
//     $name::value(x) the value alone, in the least time; NAN where refused
//
// Self-test:  c++ -std=c++17 -DRIDGELINE_SELF_TEST -x c++ FILE.hpp -o self_test && ./self_test
#ifndef ${NAME}_HPP
#define ${NAME}_HPP

#include <array>
#include <cmath>
#include <string_view>

namespace $name {

inline constexpr int n = $n;
enum : unsigned { out_of_range = 1, far = 2, refused = 4 };

struct prediction {
    double value, low, high;
    unsigned flags;
    int cluster;
    bool in_domain() const { return flags == 0; }
};

$texts

namespace detail {
using std::asinh, std::ceil, std::copysign, std::exp, std::fabs, std::floor;
using std::log, std::log1p, std::log2, std::pow, std::sqrt;

$functions
}  // namespace detail

inline double value(const double *x) { return detail::value(x); }
inline prediction predict(const double *x) { return detail::predict(x); }
inline double value(const std::array<double, n> &x) { return detail::value(x.data()); }
inline prediction predict(const std::array<double, n> &x) { return detail::predict(x.data()); }

}  // namespace $name
