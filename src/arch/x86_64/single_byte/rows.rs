//! Look-ups of 128 and 256 entries by the shuffle of 16 bytes, which SSSE3 and AVX2 have.

/// Defines `lookup256`, `lookup128` and `ascii`, as
/// [`single_bytes_by_blocks`](crate::arch::single_byte_blocks) needs them, for the instruction set `$features`.
///
/// A table is taken as rows of 16 entries, each of which is shuffled by the low nibbles. Bits 4 and up of each byte then
/// select the row. As a shuffle makes zeros where the high bit of an index is set, an `or` is enough for one of them.
///
/// Besides the [operators](crate::arch::operators), the module that calls the macro has `row(table, at)`, which is row
/// `at` in each 16 bytes of a vector, and `shuffle(row, indices)`.
macro_rules! look_ups_by_rows {
    ($features:literal) => {
        /// Returns the table's entry for each byte.
        #[inline]
        #[target_feature(enable = $features)]
        fn lookup256(table: &[u8; 256], bytes: [Vector; 2]) -> [Vector; 2] {
            let others = [xor(bytes[0], splat(0x80)), xor(bytes[1], splat(0x80))];
            let low = four_rows(table, [0, 8], bytes, others);
            let high = four_rows(table, [4, 12], bytes, others);
            let bit_6 = [up::<1>(bytes[0]), up::<1>(bytes[1])];
            [select(bit_6[0], low[0], high[0]), select(bit_6[1], low[1], high[1])]
        }

        /// Returns the table's entry for each byte, which is below 0x80.
        #[inline]
        #[target_feature(enable = $features)]
        fn lookup128(table: &[u8; 128], bytes: [Vector; 2]) -> [Vector; 2] {
            // The high bit is set where bit 6 was, or where it was not.
            let [first, second] = bytes;
            let bytes = [add(first, splat(0x40)), add(second, splat(0x40))];
            let others = [add(first, splat(0xC0)), add(second, splat(0xC0))];
            four_rows(table, [0, 4], bytes, others)
        }

        /// Returns an entry of four rows from `from[0]` on if the high bit of an index in `bytes` is clear, and of four
        /// from `from[1]` on if it is clear in `others`. Both have the same bits 0 to 5.
        #[inline]
        #[target_feature(enable = $features)]
        fn four_rows(table: &[u8], from: [usize; 2], bytes: [Vector; 2], others: [Vector; 2]) -> [Vector; 2] {
            let mut either = [[splat(0); 2]; 4];
            for (next, either) in either.iter_mut().enumerate() {
                let rows = [row(table, from[0] + next), row(table, from[1] + next)];
                for at in 0..2 {
                    either[at] = or(shuffle(rows[0], bytes[at]), shuffle(rows[1], others[at]));
                }
            }
            let mut made = [splat(0); 2];
            for at in 0..2 {
                let [bit_4, bit_5] = [up::<3>(bytes[at]), up::<2>(bytes[at])];
                let low = select(bit_4, either[0][at], either[1][at]);
                let high = select(bit_4, either[2][at], either[3][at]);
                made[at] = select(bit_5, low, high);
            }
            made
        }

        /// Returns the codes of ASCII, and whether they are right. See [`Nibbles`](crate::arch::compact::Nibbles).
        #[inline]
        #[target_feature(enable = $features)]
        fn ascii(codes: &DecodeCodes, bytes: [Vector; 2]) -> ([Vector; 2], bool) {
            let Nibbles { bases, rows, low, high } = &codes.nibbles;
            let rows = rows.each_ref().map(|entries| row(entries, 0));
            let (bases, low, high) = (row(bases, 0), row(low, 0), row(high, 0));
            let [first, second] = bytes.map(|byte| {
                let (by_low, by_high) = (and(byte, splat(0xF)), high_nibbles(byte));
                let fits = and(shuffle(low, by_low), shuffle(high, by_high));
                let base = add(by_low, shuffle(bases, by_high));
                // The high bit is clear only in the rows 4 to 7.
                let index = add_up_to_ff(xor(byte, splat(0x40)), splat(0x40));
                let [no, yes] =
                    [0, 2].map(|at| select(up::<3>(byte), shuffle(rows[at], index), shuffle(rows[at + 1], index)));
                (add(base, select(up::<2>(byte), no, yes)), equal(fits, splat(0)))
            });
            ([first.0, second.0], mask(or(first.1, second.1)) == 0)
        }
    };
}
pub(super) use look_ups_by_rows;
