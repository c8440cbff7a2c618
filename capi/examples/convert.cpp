// Converts EBCDIC text with the C++ header, and shows what an error says:
//
//     c++ -std=c++17 -I capi/include capi/examples/convert.cpp -o convert -L target/release -lcharpipe_capi
#include <charpipe.hpp>
#include <iostream>

int main() {
    std::cout << charpipe_cpp::convert("\xC8\x85\x93\x93\x96\x15", "from=IBM1047\nebcdic-nl=zos");

    // A stream, in pieces that cut a character.
    charpipe_cpp::Stream stream("from=UTF-8\nto=UTF-16LE");
    std::string output;
    stream.push("\xE2\x82", output);
    stream.push("\xAC!", output);
    stream.finish(output);
    std::cout << output.size() << " bytes\n";

    try {
        charpipe_cpp::convert("12\x80", "from=US-ASCII");
    } catch (const charpipe_cpp::Error &error) {
        std::cout << error.code << " at " << error.offset << ": " << error.what() << "\n";
    }
}
