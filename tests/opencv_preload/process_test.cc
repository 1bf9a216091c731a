// Several threads, children, and OpenCV's number of threads.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "boost_test.h"
#include "comparison.h"

namespace vedette::preload_test {
namespace {

bool equal(const cv::Mat& a, const cv::Mat& b) {
    return a.size() == b.size() && a.isContinuous() && b.isContinuous() &&
           std::memcmp(a.data, b.data, a.total() * a.elemSize()) == 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process)

BOOST_AUTO_TEST_CASE(at_the_same_time) {
    std::vector<Case> cases;
    std::vector<cv::Mat> expected;
    for (int method = 0; method < 6; ++method)
        for (const int channels : {1, 3, 4}) {
            Case one;
            one.image = picture({160, 120}, CV_8UC(channels), static_cast<std::uint64_t>(method));
            one.pattern = one.image({30 + method, 20, 31, 17}).clone();
            one.method = method;
            expected.emplace_back();
            cv::matchTemplate(one.image, one.pattern, expected.back(), method);
            cases.push_back(one);
        }
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 2 * cases.size(); ++i) {
                const std::size_t at = (i * (t + 1) + t) % cases.size();
                cv::Mat result;
                cv::matchTemplate(cases[at].image, cases[at].pattern, result, cases[at].method);
                if (!equal(result, expected[at])) ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(children) {
    const cv::Mat image = picture({160, 120}, CV_8UC3, 5), pattern = image({30, 20, 31, 17}).clone();
    cv::Mat expected;
    cv::matchTemplate(image, pattern, expected, cv::TM_CCOEFF_NORMED);
    const pid_t child = ::fork();
    BOOST_TEST_REQUIRE(child >= 0);
    if (child == 0) {
        ::alarm(30);
        cv::Mat result;
        cv::matchTemplate(image, pattern, result, cv::TM_CCOEFF_NORMED);
        const bool ours = last_log_line().find(": cpu:0 ") != std::string::npos;
        // A child of the child, too.
        const pid_t next = ::fork();
        if (next == 0) {
            ::alarm(30);
            cv::matchTemplate(image, pattern, result, cv::TM_CCOEFF_NORMED);
            ::_exit(equal(result, expected) ? 0 : 1);
        }
        int status = 1;
        const bool fine = next > 0 && ::waitpid(next, &status, 0) == next && status == 0;
        ::_exit(equal(result, expected) && ours && fine ? 0 : 1);
    }
    int status = 1;
    BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST(status == 0);
    cv::Mat again;
    cv::matchTemplate(image, pattern, again, cv::TM_CCOEFF_NORMED);
    BOOST_TEST(equal(again, expected));
}

BOOST_AUTO_TEST_CASE(number_of_threads) {
    const cv::Mat image = picture({160, 120}, CV_8UC3, 5), pattern = image({30, 20, 31, 17}).clone();
    cv::Mat expected, result;
    cv::matchTemplate(image, pattern, expected, cv::TM_CCOEFF);
    const int usual = cv::getNumThreads();
    for (const int threads : {1, usual, 0}) {
        cv::setNumThreads(threads);
        cv::matchTemplate(image, pattern, result, cv::TM_CCOEFF);
        BOOST_TEST(equal(result, expected));
    }
    cv::setNumThreads(usual);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::preload_test
