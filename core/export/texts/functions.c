/* Bodies of the functions of an exported model, each below its name.

   Places such as $n are filled with numbers, the names of tables, and lists of statements; $p stands for the prefix of
   all names. Empty lines are left out of a program. */

/* finite */
int i, known = 1;
for (i = 0; i < $n; i++) known &= fabs(x[i]) <= 1.7976931348623157e308;
return known;

/* where */
int i, out = 0, found = 0;
*away = $leverage;
$looked
*finite = 1;
if (out) {
    *finite = ${p}finite_(x);
    for (i = 0; i < $n; i++) found |= (x[i] < $low[i]) | (x[i] > $high[i]);
}
$far
return found;

/* leverage */
double m[$n], s = 0;
const double *t = $turned;
int i, j;
for (i = 0; i < $n; i++) m[i] = x[i] - $centre[i];
$blocks
return s;

/* directions */
{
    double d[$at_once] = {0};
    for (i = $s; i < $n; i++, t += $at_once)
        for (j = 0; j < $at_once; j++) d[j] += t[j] * m[i];
    s += $squares;
}

/* clamped */
double held[$n];
for (i = 0; i < $n; i++)
    held[i] = x[i] < $low[i] ? $low[i] : x[i] > $high[i] ? $high[i] : x[i];

/* product */
double $to[$out] = {0};
for (i = 0; i < $width; i++) {
    const double v = $given;
    int j;
    for (j = 0; j < $out; j++) $to[j] += v * $matrix[$out * i + j];
}

/* rounded */
double $to[$out], ${to}_odd[$width];
for (i = 0; i < $width; i++) {
    const double x = $at[i];
    int k;
    $to[i] = ${to}_odd[i] = x;
    for (k = 1; k <= $halvings; k++) ${to}_odd[i] *= x / (1 << k) == floor(x / (1 << k)) ? 0.5 : 1.0;
}

/* nearest */
double least = INFINITY;
int i, k, found = 0;
for (k = 0; k < $k; k++) {
    double s = 0;
    for (i = 0; i < $n; i++) {
        const double d = (x[i] - $offset[i]) / $divisor[i] - $centres[$n * k + i];
        s += d * d;
    }
    if (s < least) { least = s; found = k; }
}
return found;

/* half */
(void)z;
(void)away;
(void)cluster;
const double v = $v;
int i = 0;
if (v <= $knots[0]) return $width * $factors[0];
if (v >= $knots[$last]) return $width * $factors[$last];
while ($knots[i + 1] <= v) i++;
return $width * (($factors[i + 1] - $factors[i]) / ($knots[i + 1] - $knots[i]) * (v - $knots[i]) + $factors[i]);

/* gone_on */
double edge[$n], back[$n], z;
int i, other, beyond = 0;
for (i = 0; i < $n; i++) edge[i] = back[i] = x[i];
for (i = 0; i < $m; i++) {
    int j = $columns[i];
    double at = x[j] < $below[i] ? $below[i] : x[j] > $above[i] ? $above[i] : x[j];
    double inside = $low[i] > 0 && x[j] > 0 ? at * (at / x[j]) : 2 * at - x[j];
    if (at == x[j]) continue;
    beyond = 1;
    edge[j] = at;
    back[j] = inside < $low[i] ? $low[i] : inside > $high[i] ? $high[i] : inside;
}
z = $inside(edge, cluster);
return beyond ? z + (z - $inside(back, &other)) : z;

/* predict */
$result r = {NAN, NAN, NAN, 0, 0};
double z, away;
int finite;
r.flags = (unsigned)${p}where_(x, &away, &finite);
z = $kept ? ${p}scaled_(x, &r.cluster) : NAN;
r.value = ${p}back_(z, x);
if (!(fabs(r.value) <= 1.7976931348623157e308)) {
    r.value = NAN;
    r.cluster = 0;
    r.flags |= 4u;
    return r;
}
$ends
if (!(fabs(r.low) <= 1.7976931348623157e308 && fabs(r.high) <= 1.7976931348623157e308 && r.low <= r.value && r.value <= r.high))
    r.low = r.high = NAN;
return r;

/* linear */
double s = $constant;
int k;
for (k = 0; k < $n; k++) s += $coefficients[k] * (x[$first[k]]$second);
return s;

/* additive */
double s = 0;
int i;
$columns
for (i = 0; i < $n; i++) {
    const int *c = $codes + $axes * i;
    double first = 0, squares = 0, k;
$sums
    s += $weights[i] * (first + $pairs * (first * first - squares) / 2);
}
return $constant + $scale * s;

/* levels */
double p, mean = 0;
int i;
$log
p = (v - $low) / $span;
for (i = 0; i < $n; i++) {
    const double d = p - $places[i], e = d / $length;
    k[i] = $smooth * exp(-0.5 * (e * e)) + (fabs(d) < 1e-9 ? $rough : 0);
    mean += k[i];
}
mean /= $n;
for (i = 0; i < $n; i++) k[i] = $size * (k[i] - mean * $share[i]);
return 1;

/* trees */
double s = $baseline;
int t;
for (t = 0; t < $n; t++) {
    int i = $roots[t], j;
    while ((j = $feature[i]) >= 0) i = $child[2 * i + !($x <= $number[i])];
    s += $number[i];
}
return $mean;

/* kernels */
double z[$axes], s = 0, sum_ = $constant;
int i, j;
for (j = 0; j < $axes; j++) z[j] = (x[j] - $offset[j]) / $divisor[j];
for (i = 0; i < $n; i++) {
    for (s = 0, j = 0; j < $axes; j++) {
        const double d = z[j] - $points[$axes * i + j];
        s += d * d;
    }
    s *= $rate;
    sum_ += $weights[i] * $kernel;
}
return sum_;

/* departure */
if (!(r < 1)) return (1 + r + r * r * $bend) * exp(-r) - 1;
const double rest = $rest;
return -exp(-r) * (r * r * $half + r * r * r / 6 * rest);

/* roof */
double seen[$seen], roof = 0;
int i;
for (i = 0; i < $n; i++) {
    const double above = $work[i] < 0 ? 1.0 : x[$work[i]];
    const double below = $capacity[i] < 0 ? 1.0 : x[$capacity[i]];
    roof += $weights[i] * (above / below);
}
if (!(fabs(roof) <= 1.7976931348623157e308)) return NAN;
$columns
$ratios
return $whole;

/* ratios */
for (i = 0; i < $pairs; i++) {
    const double ratio = log1p(x[$first[i]]) - log1p(x[$second[i]]);
    seen[$start + i] = ratio == ratio ? ratio : 0;
}

/* curves */
double f$a[$n];
const double *p$a = $powers + $width * i$a;
int k$a;
for (k$a = 0; k$a < $n; k$a++) f$a[k$a] = $cubic;

/* member */
{
    const double own[$n] = {$own};
    v[$k] = ${member}value(own);
}

/* mixed */
double share[$n], total = 0, s = 0;
int i;
for (i = 0; i < $n; i++) {
    const int known = fabs(v[i]) <= 1.7976931348623157e308$positive;
    share[i] = known ? $weights[i] : 0;
    v[i] = known ? $value : 0;
    total += share[i];
}
if (!(total > 0)) return NAN;
$bounded
for (i = 0; i < $n; i++) s += share[i] * $counted;
$whole

/* median */
double low = INFINITY, high = INFINITY;
for (i = 0; i < $n; i++) {
    double reached = 0;
    int j;
    for (j = 0; j < $n; j++)
        if (v[j] <= v[i]) reached += share[j];
    if (share[i] > 0 && reached >= $least * total && v[i] < low) low = v[i];
    if (share[i] > 0 && reached > $most * total && v[i] < high) high = v[i];
}
low = 0.5 * (low + high);
high = low + $bound;
low -= $bound;
