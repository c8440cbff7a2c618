//! The smallest program that converts: standard input to standard output.

#[cfg(feature = "charpipe")]
fn main() -> Result<(), charpipe::Error> {
    charpipe::Transcode::new().guess(true).run(std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(())
}

#[cfg(not(feature = "charpipe"))]
fn main() -> std::io::Result<()> {
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::stdout().lock())?;
    Ok(())
}
