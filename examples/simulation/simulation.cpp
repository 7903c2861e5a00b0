// Jobs come to a machine with one big and some little cores; a model says how long each takes where.
//
//     make && ./simulation loops.csv 200000
//
// A discrete-event simulation: the next event is taken from a queue of arrivals and ends. At each arrival the model
// of the core that the policy chooses is asked for the job's cycles, and the job takes a time drawn from the interval
// that the model gives: what it does not know stays random.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <queue>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "skylake-avx512.hpp"
#include "slm.hpp"

namespace little = cycles_slm_model;
namespace big = cycles_skylake_avx512_model;

using Metrics = std::array<double, little::n>;
static_assert(little::n == big::n, "both models have the same metrics");

struct Loop {
    Metrics x;
};

struct Core {
    bool is_big;
    double free_at = 0, busy = 0;
};

struct Event {
    double at;
    bool is_end;
    bool operator>(const Event &other) const { return at > other.at; }
};

struct Outcome {
    double mean_wait, last_end, p99_wait;
    long asked;
};

static std::vector<Loop> read_loops(const char *path)
{
    std::ifstream file(path);
    std::string line, cell;
    std::vector<Loop> found;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        std::getline(cells, cell, ','), std::getline(cells, cell, ',');
        Loop loop{};
        for (double &value : loop.x) {
            std::getline(cells, cell, ',');
            value = std::strtod(cell.c_str(), nullptr);
        }
        found.push_back(loop);
    }
    return found;
}

// Seconds on a core, drawn from the model's interval.
static double seconds(const Core &core, const Loop &loop, double uniform)
{
    const auto draw = [uniform](const auto &said, double hz) {
        const bool known = said.high >= said.low;
        return (known ? said.low + uniform * (said.high - said.low) : said.value) / hz;
    };
    return core.is_big ? draw(big::predict(loop.x), 2.1e9) : draw(little::predict(loop.x), 2.4e9);
}

static Outcome simulate(const std::vector<Loop> &loops, long n_jobs, bool by_model)
{
    std::mt19937_64 random(7);
    std::exponential_distribution<double> gap(2.2e6);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<Core> cores{{true}, {false}, {false}};
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    std::vector<double> waits;
    long arrived = 0, asked = 0;
    double last = 0;
    events.push({gap(random), false});
    while (!events.empty()) {
        const Event now = events.top();
        events.pop();
        last = std::max(last, now.at);
        if (now.is_end) continue;
        if (++arrived < n_jobs) events.push({now.at + gap(random), false});
        const Loop &loop = loops[random() % loops.size()];
        const double luck = uniform(random);
        Core *taken = &*std::min_element(cores.begin(), cores.end(),
                                         [](const Core &a, const Core &b) { return a.free_at < b.free_at; });
        double takes = 0;
        if (by_model) {
            double best = 1e300;
            for (Core &core : cores) {
                const double own = seconds(core, loop, luck), end = std::max(core.free_at, now.at) + own;
                ++asked;
                if (end < best) best = end, taken = &core, takes = own;
            }
        } else {
            takes = seconds(*taken, loop, luck), ++asked;
        }
        const double begins = std::max(taken->free_at, now.at);
        waits.push_back(begins - now.at);
        taken->free_at = begins + takes;
        taken->busy += takes;
        events.push({taken->free_at, true});
    }
    double sum = 0;
    for (double wait : waits) sum += wait;
    std::nth_element(waits.begin(), waits.begin() + waits.size() * 99 / 100, waits.end());
    return {sum / n_jobs, last, waits[waits.size() * 99 / 100], asked};
}

int main(int argc, char **argv)
{
    const long n_jobs = argc > 2 ? std::atol(argv[2]) : 200000;
    const std::vector<Loop> loops = argc > 1 ? read_loops(argv[1]) : std::vector<Loop>{};
    if (loops.empty() || n_jobs < 100) {
        std::fprintf(stderr, "usage: %s loops.csv [JOBS, at least 100]\n", argv[0]);
        return 2;
    }
    for (const bool by_model : {false, true}) {
        const auto begun = std::chrono::steady_clock::now();
        const Outcome found = simulate(loops, n_jobs, by_model);
        const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        std::printf("%-16s %ld jobs: mean wait %.3f us, 99 %% wait at most %.3f us, done after %.3f ms; "
                    "%ld predictions\n",
                    by_model ? "earliest end" : "first free core", n_jobs, 1e6 * found.mean_wait, 1e6 * found.p99_wait,
                    1e3 * found.last_end, found.asked);
        std::fprintf(stderr, "%.0f predictions/s, simulation included\n", found.asked / took);
    }
    return 0;
}
