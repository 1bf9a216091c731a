#include "features/homography.h"

#include <algorithm>
#include <cmath>

namespace vedette::matching {

namespace {

Homography product(const Homography& a, const Homography& b) noexcept {
    Homography c{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    return c;
}

double cross(Point a, Point b, Point c) noexcept {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Columns: the four points' homogeneous coordinates, scaled so that the first three sum to the fourth: maps the
// canonical basis to the points.
bool basis_of(const Point (&p)[4], Homography& basis) noexcept {
    const double determinant = cross(p[0], p[1], p[2]);
    const double weights[3] = {cross(p[3], p[1], p[2]) / determinant, cross(p[0], p[3], p[2]) / determinant,
                               cross(p[0], p[1], p[3]) / determinant};
    for (std::size_t k = 0; k < 3; ++k) {
        if (!std::isfinite(weights[k]) || weights[k] == 0) return false;
        basis[k] = weights[k] * p[k].x;
        basis[3 + k] = weights[k] * p[k].y;
        basis[6 + k] = weights[k];
    }
    return true;
}

// The inverse but for a factor.
Homography adjugate(const Homography& h) noexcept {
    return {h[4] * h[8] - h[5] * h[7], h[2] * h[7] - h[1] * h[8], h[1] * h[5] - h[2] * h[4],
            h[5] * h[6] - h[3] * h[8], h[0] * h[8] - h[2] * h[6], h[2] * h[3] - h[0] * h[5],
            h[3] * h[7] - h[4] * h[6], h[1] * h[6] - h[0] * h[7], h[0] * h[4] - h[1] * h[3]};
}

constexpr std::size_t unknowns = 8;  // the ninth entry is 1
using Vector8 = std::array<double, unknowns>;

// A symmetric system of equations, summed up row by row.
struct NormalEquations {
    std::array<Vector8, unknowns> matrix{};
    Vector8 right{};

    void add(const Vector8& row, double value) noexcept {
        for (std::size_t i = 0; i < unknowns; ++i) {
            for (std::size_t j = 0; j <= i; ++j) matrix[i][j] += row[i] * row[j];
            right[i] += row[i] * value;
        }
    }

    // By Cholesky's decomposition, the diagonal enlarged by a factor 1 + damping; false when it is not positive.
    bool solve(double damping, Vector8& solution) const noexcept {
        std::array<Vector8, unknowns> lower{};
        for (std::size_t i = 0; i < unknowns; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double sum = matrix[i][j] * (i == j ? 1 + damping : 1);
                for (std::size_t k = 0; k < j; ++k) sum -= lower[i][k] * lower[j][k];
                if (i != j) {
                    lower[i][j] = sum / lower[j][j];
                } else {
                    if (!(sum > 1e-14 * matrix[i][i])) return false;
                    lower[i][i] = std::sqrt(sum);
                }
            }
        Vector8 middle{};
        for (std::size_t i = 0; i < unknowns; ++i) {
            double sum = right[i];
            for (std::size_t k = 0; k < i; ++k) sum -= lower[i][k] * middle[k];
            middle[i] = sum / lower[i][i];
        }
        for (std::size_t i = unknowns; i-- > 0;) {
            double sum = middle[i];
            for (std::size_t k = i + 1; k < unknowns; ++k) sum -= lower[k][i] * solution[k];
            solution[i] = sum / lower[i][i];
        }
        return true;
    }
};

// Equations whose solution has least algebraic error.
bool linear_fit(const std::vector<Point>& from, const std::vector<Point>& to, Vector8& h) {
    NormalEquations equations;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto [x, y] = from[i];
        const auto [u, v] = to[i];
        equations.add({x, y, 1, 0, 0, 0, -u * x, -u * y}, u);
        equations.add({0, 0, 0, x, y, 1, -v * x, -v * y}, v);
    }
    return equations.solve(0, h);
}

// Sum of squared distances, infinite when a point lies on the horizon; with `equations` also the Gauss-Newton step's.
double distances(const std::vector<Point>& from, const std::vector<Point>& to, const Vector8& h,
                 NormalEquations* equations) {
    double sum = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto [x, y] = from[i];
        const double w = 1 / (h[6] * x + h[7] * y + 1);
        const double u = (h[0] * x + h[1] * y + h[2]) * w, v = (h[3] * x + h[4] * y + h[5]) * w;
        const double du = to[i].x - u, dv = to[i].y - v;
        sum += du * du + dv * dv;
        if (equations == nullptr) continue;
        equations->add({x * w, y * w, w, 0, 0, 0, -u * x * w, -u * y * w}, du);
        equations->add({0, 0, 0, x * w, y * w, w, -v * x * w, -v * y * w}, dv);
    }
    return std::isfinite(sum) ? sum : HUGE_VAL;
}

void minimize_distances(const std::vector<Point>& from, const std::vector<Point>& to, Vector8& h) {
    constexpr int most_steps = 12;
    double damping = 1e-3;
    for (int step = 0; step < most_steps; ++step) {
        NormalEquations equations;
        const double before = distances(from, to, h, &equations);
        Vector8 change{};
        if (!equations.solve(damping, change)) return;
        Vector8 next = h;
        for (std::size_t k = 0; k < unknowns; ++k) next[k] += change[k];
        const double after = distances(from, to, next, nullptr);
        if (after > before) {
            damping *= 10;
            continue;
        }
        h = next;
        damping *= 0.1;
        if (before - after <= 1e-12 * before) return;
    }
}

}  // namespace

Normalization Normalization::of(const std::vector<Point>& points) {
    Normalization n;
    const auto count = static_cast<double>(points.size());
    for (const Point& p : points) {
        n.middle.x += p.x / count;
        n.middle.y += p.y / count;
    }
    double distance = 0;
    for (const Point& p : points) distance += std::hypot(p.x - n.middle.x, p.y - n.middle.y) / count;
    n.scale = distance > 0 ? std::sqrt(2.0) / distance : 1;
    return n;
}

Homography denormalized(const Homography& homography, const Normalization& from, const Normalization& to) noexcept {
    const Homography in = {from.scale, 0, -from.scale * from.middle.x, 0, from.scale, -from.scale * from.middle.y, 0,
                           0,          1};
    const Homography out = {1 / to.scale, 0, to.middle.x, 0, 1 / to.scale, to.middle.y, 0, 0, 1};
    return product(out, product(homography, in));
}

bool has_collinear_three(const Point (&p)[4]) noexcept {
    constexpr double least_sine = 0.02;  // of the triangle's angle at its first corner
    constexpr int triples[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    for (const auto& t : triples) {
        const Point &a = p[t[0]], &b = p[t[1]], &c = p[t[2]];
        const double sides = std::hypot(b.x - a.x, b.y - a.y) * std::hypot(c.x - a.x, c.y - a.y);
        if (!(std::abs(cross(a, b, c)) > least_sine * sides)) return true;
    }
    return false;
}

bool keeps_or_turns_all(const Point (&from)[4], const Point (&to)[4]) noexcept {
    const auto turns = [&](int a, int b, int c) {
        return (cross(from[a], from[b], from[c]) > 0) != (cross(to[a], to[b], to[c]) > 0);
    };
    const int count = int{turns(0, 1, 2)} + int{turns(0, 1, 3)} + int{turns(0, 2, 3)} + int{turns(1, 2, 3)};
    return count == 0 || count == 4;
}

bool homography_through(const Point (&from)[4], const Point (&to)[4], Homography& homography) noexcept {
    Homography source{}, target{};
    if (!basis_of(from, source) || !basis_of(to, target)) return false;
    homography = product(target, adjugate(source));
    const double w = homography[6] * from[0].x + homography[7] * from[0].y + homography[8];
    double largest = 0;
    for (const double value : homography) largest = std::max(largest, std::abs(value));
    if (!std::isfinite(largest) || largest == 0 || w == 0) return false;
    for (double& value : homography) value /= w > 0 ? largest : -largest;
    return true;
}

bool spans_area(const std::vector<Point>& points) noexcept {
    const Normalization n = Normalization::of(points);
    double xx = 0, xy = 0, yy = 0;
    for (const Point& point : points) {
        const Point p = n.apply(point);
        xx += p.x * p.x;
        xy += p.x * p.y;
        yy += p.y * p.y;
    }
    const double half = (xx + yy) / 2, spread = std::hypot((xx - yy) / 2, xy);
    constexpr double least_ratio = 1e-6;  // of variances
    return half - spread > least_ratio * (half + spread);
}

bool fit_homography(std::vector<Point>& from, std::vector<Point>& to, Homography& homography) {
    const Normalization source = Normalization::of(from), target = Normalization::of(to);
    for (Point& p : from) p = source.apply(p);
    for (Point& p : to) p = target.apply(p);
    Vector8 h{};
    if (!linear_fit(from, to, h)) return false;
    minimize_distances(from, to, h);
    homography = denormalized({h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1}, source, target);
    for (const double value : homography)
        if (!std::isfinite(value)) return false;
    return true;
}

}  // namespace vedette::matching
