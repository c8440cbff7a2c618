// Converts standard input to standard output with the options in the arguments:
//
//     mcs convert.cs && mono convert.exe from=IBM1047 ebcdic-nl=zos < members.txt
//
// The exit status is 0, or 1 after an error.
using System;
using System.IO;
using System.Runtime.InteropServices;

static class Program
{
    const string Library = "libcharpipe.so.1"; // macOS: libcharpipe.1.dylib; Windows: libcharpipe-1.dll
    const int NeedInput = 0, NeedRoom = 1, Error = -1;

    [DllImport(Library)]
    static extern IntPtr charpipe_open([MarshalAs(UnmanagedType.LPUTF8Str)] string options);
    [DllImport(Library)]
    static extern int charpipe_step(IntPtr stream, byte[] input, UIntPtr inputLength, out UIntPtr read,
                                    byte[] output, UIntPtr outputLength, out UIntPtr written);
    [DllImport(Library)]
    static extern int charpipe_finish(IntPtr stream, byte[] output, UIntPtr outputLength, out UIntPtr written);
    [DllImport(Library)]
    static extern IntPtr charpipe_error_code(IntPtr stream);
    [DllImport(Library)]
    static extern IntPtr charpipe_error_message(IntPtr stream);
    [DllImport(Library)]
    static extern long charpipe_error_offset(IntPtr stream);
    [DllImport(Library)]
    static extern void charpipe_free(IntPtr stream);

    static int Main(string[] options)
    {
        Stream input = Console.OpenStandardInput(), output = Console.OpenStandardOutput();
        byte[] bytes = new byte[16384], converted = new byte[16384];
        var stream = charpipe_open(string.Join("\n", options));
        try
        {
            int length = 0, status = NeedInput;
            bool ended = false;
            while (status == NeedInput || status == NeedRoom)
            {
                if (status == NeedInput)
                {
                    length = input.Read(bytes, 0, bytes.Length);
                    ended = length == 0;
                }
                UIntPtr read = UIntPtr.Zero, written;
                status = ended
                    ? charpipe_finish(stream, converted, (UIntPtr)converted.Length, out written)
                    : charpipe_step(stream, bytes, (UIntPtr)length, out read,
                                    converted, (UIntPtr)converted.Length, out written);
                length -= (int)read;
                Array.Copy(bytes, (int)read, bytes, 0, length);
                output.Write(converted, 0, (int)written);
            }
            if (status == Error)
            {
                var code = Marshal.PtrToStringUTF8(charpipe_error_code(stream));
                var message = Marshal.PtrToStringUTF8(charpipe_error_message(stream));
                Console.Error.WriteLine("{0} at {1}: {2}", code, charpipe_error_offset(stream), message);
            }
            return status == Error ? 1 : 0;
        }
        finally
        {
            charpipe_free(stream);
        }
    }
}
