// SPDX-License-Identifier: MIT
//
// The only C++ file: a thin C wrapper of Google Benchmark's JSONReporter. Its Run objects are
// filled in directly, so that names stay exactly what they are (no "/real_time" or "/repeats:"
// is appended). Nothing thrown leaves this file.
#include "bench/gbench.h"

#include <benchmark/benchmark.h>

#include <cerrno>
#include <cmath>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using Reporter = benchmark::BenchmarkReporter;

// Length of the well-formed UTF-8 sequence at s, 0 if there is none.
size_t Utf8Length(const unsigned char *s)
{
    size_t n = 0;
    uint32_t code = 0;
    if (s[0] < 0x80)
        return 1;
    if ((s[0] & 0xe0) == 0xc0)
        n = 2, code = s[0] & 0x1fu;
    else if ((s[0] & 0xf0) == 0xe0)
        n = 3, code = s[0] & 0x0fu;
    else if ((s[0] & 0xf8) == 0xf0)
        n = 4, code = s[0] & 0x07u;
    else
        return 0;
    for (size_t i = 1; i < n; ++i) {
        if ((s[i] & 0xc0) != 0x80)
            return 0; // stops at the terminating zero too
        code = (code << 6) | (s[i] & 0x3fu);
    }
    const uint32_t least = n == 2 ? 0x80u : n == 3 ? 0x800u : 0x10000u;
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least || code > 0x10ffff || surrogate ? 0 : n;
}

// The reporter escapes quotes and the usual white space only. A file name may hold anything, so
// bytes that JSON forbids become question marks here.
std::string Clean(const char *text)
{
    std::string out;
    const unsigned char *s = reinterpret_cast<const unsigned char *>(text ? text : "");
    while (*s) {
        const size_t n = Utf8Length(s);
        const bool control = *s < 0x20 && *s != '\n' && *s != '\t' && *s != '\r';
        if (n == 0 || control)
            out += '?';
        else
            out.append(reinterpret_cast<const char *>(s), n);
        s += n ? n : 1;
    }
    return out;
}

// Result files are made to be shared; whose machine it was is nobody's business.
std::string WithoutHostName(const std::string &json)
{
    const size_t key = json.find("\"host_name\"");
    if (key == std::string::npos)
        return json;
    const size_t begin = json.rfind('\n', key);
    const size_t end = json.find('\n', key);
    if (begin == std::string::npos || end == std::string::npos)
        return json;
    return json.substr(0, begin) + json.substr(end);
}

Reporter::Run MakeRun(const gbench_run &in)
{
    Reporter::Run run;
    run.run_name.function_name = Clean(in.name);
    run.family_index = in.family;
    run.per_family_instance_index = 0;
    run.run_type = Reporter::Run::RT_Iteration;
    run.report_label = Clean(in.label);
    run.iterations = in.iterations > 0 ? in.iterations : 1;
    run.threads = in.threads;
    run.repetition_index = in.repetition;
    run.repetitions = in.repetitions;
    run.time_unit = benchmark::kNanosecond;
    run.statistics = nullptr;
    if (in.error) {
        run.error_occurred = true;
        run.error_message = Clean(in.error);
        return run;
    }
    run.real_accumulated_time = in.real_s;
    run.cpu_accumulated_time = in.cpu_s;
    for (size_t i = 0; i < in.n_counters; ++i)
        if (std::isfinite(in.counters[i].value))
            run.counters[in.counters[i].name] = benchmark::Counter(in.counters[i].value);
    return run;
}

} // namespace

struct gbench {
    std::ostringstream text;
    benchmark::JSONReporter reporter;
};

extern "C" {

void gbench_context(const char *key, const char *value)
{
    try {
        static std::set<std::string> seen;
        if (seen.insert(key).second)
            benchmark::AddCustomContext(key, Clean(value));
    } catch (...) { // out of memory: a fact less in the file
    }
}

gbench *gbench_open(void)
{
    try {
        gbench *file = new gbench;
        file->reporter.SetOutputStream(&file->text);
        file->reporter.SetErrorStream(&file->text);
        file->reporter.ReportContext(Reporter::Context());
        return file;
    } catch (...) {
        return nullptr;
    }
}

int gbench_row(gbench *file, const gbench_run *run)
{
    try {
        file->reporter.ReportRuns(std::vector<Reporter::Run>(1, MakeRun(*run)));
        return 0;
    } catch (...) {
        return -1;
    }
}

int gbench_close(gbench *file, FILE *out)
{
    int result = -1;
    if (out)
        try {
            file->reporter.Finalize();
            const std::string json = WithoutHostName(file->text.str());
            if (fwrite(json.data(), 1, json.size(), out) == json.size())
                result = 0;
        } catch (...) {
            errno = ENOMEM;
        }
    delete file;
    return result;
}

} // extern "C"
