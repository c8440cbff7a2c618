// charpipe.hpp: charpipe.h for C++17. A stream that frees itself, whole strings, and exceptions.
#ifndef CHARPIPE_HPP
#define CHARPIPE_HPP

#include "charpipe.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace charpipe_cpp {

// An error: its code, and where it is. `offset` is -1, and `line`, `record` and `column` are 0, if they do not apply.
class Error : public std::runtime_error {
public:
    explicit Error(::charpipe *stream)
        : std::runtime_error(text(charpipe_error_message(stream))), code(text(charpipe_error_code(stream))),
          offset(charpipe_error_offset(stream)), line(charpipe_error_line(stream)),
          record(charpipe_error_record(stream)), column(charpipe_error_column(stream)) {}

    const std::string code;
    const std::int64_t offset;
    const std::uint64_t line, record, column;

private:
    static std::string text(const char *text) { return text ? text : "unknown"; }
};

// A conversion. It can be moved, but not copied.
class Stream {
public:
    // `options`: a line `name=value` for each option. Throws if one is wrong.
    explicit Stream(const std::string &options = "") : stream_(charpipe_open(options.c_str())) {
        if (options.find('\0') != std::string::npos) throw std::invalid_argument("a NUL in the options");
        if (!stream_ || charpipe_error(stream_.get())) throw Error(stream_.get());
    }

    // Converts more input, which must not be part of `output`, and appends the output to it. Throws after all good
    // output was appended.
    void push(std::string_view input, std::string &output) {
        while (step(output, [&](void *room, std::size_t len, std::size_t *written) {
            std::size_t read = 0;
            int status = charpipe_step(stream_.get(), input.data(), input.size(), &read, room, len, written);
            input.remove_prefix(read);
            return status;
        }) == CHARPIPE_NEED_ROOM) {
        }
    }

    // Ends the input and appends the rest of the output.
    void finish(std::string &output) {
        while (step(output, [&](void *room, std::size_t len, std::size_t *written) {
            return charpipe_finish(stream_.get(), room, len, written);
        }) != CHARPIPE_DONE) {
        }
    }

    // Converts a whole value from its beginning, and appends the output. Many values of the same options are fast.
    void value(std::string_view input, std::string &output) {
        const std::size_t len = output.size();
        for (std::size_t room = 4 * input.size() + 64;; room *= 2) {
            output.resize(len + room);
            std::size_t written = 0;
            int status =
                charpipe_value(stream_.get(), input.data(), input.size(), &output[len], room, &written);
            output.resize(len + written);
            if (status == CHARPIPE_ERROR) throw Error(stream_.get());
            if (status == CHARPIPE_DONE) return;
        }
    }

    void reset() { charpipe_reset(stream_.get()); }

    // JSON; "null" if there is none yet.
    std::string verdict() const { return text(charpipe_verdict(stream_.get())); }
    std::string report() const { return text(charpipe_report(stream_.get())); }

    ::charpipe *get() const { return stream_.get(); }

private:
    template <class Call> int step(std::string &output, Call call) {
        const std::size_t len = output.size(), room = 16 * 1024;
        output.resize(len + room); // Without memory, this throws before anything is converted.
        std::size_t written = 0;
        int status = call(&output[len], room, &written);
        output.resize(len + written);
        if (status == CHARPIPE_ERROR) throw Error(stream_.get());
        return status;
    }

    static std::string text(const char *json) { return json ? json : "null"; }

    struct Free {
        void operator()(::charpipe *stream) const { charpipe_free(stream); }
    };
    std::unique_ptr<::charpipe, Free> stream_;
};

// Converts a whole string.
inline std::string convert(std::string_view input, const std::string &options = "") {
    std::string output;
    Stream stream(options);
    stream.push(input, output);
    stream.finish(output);
    return output;
}

} // namespace charpipe_cpp

#endif
