//! Converts lines of EBCDIC on a connection, asynchronously and without extra threads. It uses the adapters of the
//! feature `tokio` at both ends of a pipe, which takes the place of a socket. A `TcpStream` works the same way.
//!
//!     cargo run --features tokio --example async_pipe
//!
//! It prints the lines that arrive, in UTF-8, and the number of bytes that they had on the wire.

use charpipe::Transcode;
use std::error::Error;
use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader, duplex};

async fn send(wire: impl AsyncWrite + Unpin) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut writer = Transcode::new().source_encoding("UTF-8")?.target_encoding("IBM1047")?.tokio_writer(wire)?;
    for line in ["Grüße aus Köln\n", "[10:15] {ok}\n"] {
        writer.write_all(line.as_bytes()).await?;
        // Sends what was written so far; without this, the writer waits for more.
        writer.flush().await?;
    }
    // Marks the end of the text, and shuts down the connection.
    Ok(writer.shutdown().await?)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let (near, far) = duplex(16);
        let sender = tokio::spawn(send(near));
        let mut reader = Transcode::new().source_encoding("IBM1047")?.tokio_reader(BufReader::new(far))?;
        let mut line = String::new();
        while reader.read_line(&mut line).await? > 0 {
            print!("{line}");
            line.clear();
        }
        println!("{} bytes of IBM1047", reader.report().bytes_in);
        sender.await?
    })
}
