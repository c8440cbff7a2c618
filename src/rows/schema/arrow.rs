//! The schema of Arrow, as an IPC stream that ends before its first batch.
//!
//! The types are those of the batches that [`RowArrow`](crate::rows::RowArrow) and charpipe's Python package make. The
//! stream is a FlatBuffer in an envelope: Arrow's columnar format 1.0, metadata version 5, `Message.fbs` and `Schema.fbs`.

use super::ColumnType;
use super::nested::{Member, Value, members};
use crate::rows::as_arrow::flat_buffer::{Buffer, END, LATER, VERSION_5};
use crate::rows::error::contradicts;
use crate::rows::{Rows, RowsError};
use std::collections::HashSet;

/// Returns the beginning of a stream: the message with the schema.
pub(in crate::rows) fn header(rows: &Rows) -> Result<Vec<u8>, RowsError> {
    let members = members(rows);
    if rows.underscores() {
        check_names(&members)?;
    }
    Ok(message(&members))
}

/// Returns a stream without batches.
pub(super) fn schema(rows: &Rows) -> Result<Vec<u8>, RowsError> {
    let mut stream = header(rows)?;
    stream.extend(END);
    Ok(stream)
}

/// Refuses two names in a group that the underscores have made the same.
fn check_names(members: &[Member]) -> Result<(), RowsError> {
    let mut taken = HashSet::new();
    for Member { name, value, .. } in members {
        if !taken.insert(name) {
            return Err(contradicts("underscores", format!("two columns would have the name {name}")).into());
        }
        match value {
            Value::Object(_, members) => check_names(members)?,
            Value::Array(element, _) => {
                if let Value::Object(_, members) = &**element {
                    check_names(members)?;
                }
            }
            Value::Leaf(_) => {}
        }
    }
    Ok(())
}

/// Returns a `Message` with a `Schema`, in its envelope.
fn message(members: &[Member]) -> Vec<u8> {
    const HEADER_IS_SCHEMA: [u8; 1] = [1];
    let mut buffer = Buffer::new();
    let [_, _, header] = buffer.put_table(0, [&VERSION_5, &HEADER_IS_SCHEMA, &LATER]);
    // Its byte order is little by default.
    let [_, fields] = buffer.put_table(header, [&[], &LATER]);
    let fields = buffer.put_vector(fields, members.len());
    for (at, member) in fields.zip(members) {
        put_field(&mut buffer, at, &member.name, &member.value);
    }
    let mut stream = Vec::new();
    buffer.finish(&mut stream);
    stream
}

/// Appends a `Field`, to which the offset at `at` points.
fn put_field(buffer: &mut Buffer, at: usize, name: &str, value: &Value) {
    const NULLABLE: [u8; 1] = [1];
    let (number, parameters) = type_of(value);
    let [at_name, _, _, at_type, _, at_children] =
        buffer.put_table(at, [&LATER, &NULLABLE, &[number], &LATER, &[], &LATER]);
    buffer.put_text(at_name, name);
    let parameters = parameters.each_ref().map(|bytes| &bytes[..]);
    buffer.put_table(at_type, parameters);
    match value {
        Value::Leaf(_) => _ = buffer.put_vector(at_children, 0),
        Value::Object(_, members) => {
            let children = buffer.put_vector(at_children, members.len());
            for (at, member) in children.zip(members) {
                put_field(buffer, at, &member.name, &member.value);
            }
        }
        Value::Array(element, _) => {
            let children = buffer.put_vector(at_children, 1);
            // Spark's name for it.
            children.for_each(|at| put_field(buffer, at, "element", element));
        }
    }
}

/// Returns the number of a type in the union `Type`, and the members of its table.
fn type_of(value: &Value) -> (u8, [Vec<u8>; 2]) {
    let number = |number: i32| number.to_le_bytes().to_vec();
    let word = |word: i16| word.to_le_bytes().to_vec();
    let (none, is_signed) = (Vec::new(), vec![1]);
    match value {
        Value::Array(..) => (12, [none.clone(), none]),
        Value::Object(..) => (13, [none.clone(), none]),
        Value::Leaf(column) => match *column {
            ColumnType::Int32 => (2, [number(32), is_signed]),
            ColumnType::Int64 => (2, [number(64), is_signed]),
            // In batches, all floating-point numbers are of 64 bits.
            ColumnType::Single | ColumnType::Double => (3, [word(2), none]),
            ColumnType::Bytes { .. } => (4, [none.clone(), none]),
            ColumnType::Text { .. } => (5, [none.clone(), none]),
            // Of 128 bits by default.
            ColumnType::Decimal { precision, scale } => (7, [number(precision.into()), number(scale.into())]),
            // In days.
            ColumnType::Date => (8, [word(0), none]),
            // In microseconds, without a time zone.
            ColumnType::Timestamp => (10, [word(2), none]),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowsJob;
    use crate::rows::as_arrow::flat_buffer_tests::Reader;

    impl Reader<'_> {
        /// Returns a field as text: its name, its type with the parameters, and its children.
        fn field(&self, field: usize) -> String {
            let of = |slot| self.member(field, slot).unwrap();
            let kind = self.follow(of(3));
            let parameter = |slot| self.member(kind, slot);
            let number = |slot| parameter(slot).map_or(0, |at| self.number::<4>(at));
            let word = || self.number::<2>(parameter(0).unwrap());
            let shown = match self.number::<1>(of(2)) {
                2 => format!("int{}, {}", number(0), self.number::<1>(parameter(1).unwrap())),
                3 => format!("float {}", word()),
                4 => "binary".to_owned(),
                5 => "text".to_owned(),
                7 => format!("decimal({},{})", number(0), number(1)),
                8 => format!("date {}", word()),
                10 => format!("timestamp {}", word()),
                12 => "list".to_owned(),
                _ => "struct".to_owned(),
            };
            assert_eq!(self.number::<1>(of(1)), 1, "it is nullable");
            let children: Vec<String> = self.vector(of(5)).map(|child| self.field(child)).collect();
            let children = if children.is_empty() { String::new() } else { format!(" [{}]", children.join("; ")) };
            format!("{} {shown}{children}", self.text(of(0)))
        }
    }

    /// Returns the fields of the schema, or the error.
    fn fields(options: &[(&str, &str)], layout: &str) -> Result<Vec<String>, RowsError> {
        let job = options.iter().try_fold(RowsJob::new(), |job, one| job.set(one.0, one.1))?;
        let stream = job.rows(&job.layout(layout.as_bytes())?)?.arrow_schema()?;
        let mut rest = &stream[..];
        let reader = Reader::of_message(&mut rest).unwrap();
        assert_eq!(rest, END);
        let root = reader.follow(0);
        let of = |slot| reader.member(root, slot).unwrap();
        assert_eq!((reader.number::<2>(of(0)), reader.number::<1>(of(1))), (4, 1));
        let schema = reader.follow(of(2));
        Ok(reader.vector(reader.member(schema, 1).unwrap()).map(|field| reader.field(field)).collect())
    }

    #[test]
    fn columns_of_every_type() {
        let layout = "T 1 1 text\nX 2 3 raw\nI 5 4 binary\nL 9 8 binary\nF 17 4 float,ieee\nG 21 8 float\n\
                      P 29 3 packed.2\nD 32 8 zoned,unsigned\nM 40 19 text\n";
        assert_eq!(
            fields(&[("dates", "D=YYYYMMDD,M=YYYY-MM-DD HH.MI.SS")], layout).unwrap(),
            [
                "T text",
                "X binary",
                "I int32, 1",
                "L int64, 1",
                "F float 2",
                "G float 2",
                "P decimal(5,2)",
                "D date 0",
                "M timestamp 2"
            ]
        );
        // Names of every length: what follows one is at a multiple of four.
        for len in 1..9 {
            let name = "N".repeat(len);
            assert_eq!(fields(&[], &format!("{name} 1 1 text\nO 2 1 text\n")).unwrap(), [&*(name + " text"), "O text"]);
        }
    }

    #[test]
    fn groups_and_arrays() {
        let copybook = "01 R.\n 05 A-1.\n 10 B-1 PIC 9 OCCURS 2.\n 05 C OCCURS 3.\n 10 D PIC X.\n 10 E PIC 9.\n";
        let element = "_errors list [element struct [field text; code text; message text; bytes binary]]";
        assert_eq!(
            fields(&[("add-columns", "number,errors"), ("integers", "true"), ("underscores", "true")], copybook)
                .unwrap(),
            [
                "_number int64, 1",
                "A_1 struct [B_1 list [element int32, 1]]",
                "C list [element struct [D text; E int32, 1]]",
                element
            ]
        );
        let alike = "01 R.\n 05 A OCCURS 2.\n 10 B-B PIC X.\n 10 B_B PIC X.\n";
        assert_eq!(fields(&[], alike).unwrap(), ["A list [element struct [B-B text; B_B text]]"]);
        let error = fields(&[("underscores", "true")], alike).unwrap_err().to_string();
        assert_eq!(error, "option underscores: two columns would have the name B_B");
    }

    /// If each type has a separate output, their keys can have the same name and different types.
    #[test]
    fn keys_of_several_parents() {
        let copybook = "01 REC.\n 05 K PIC X.\n 05 A.\n 10 ID PIC 99.\n \
                        05 B REDEFINES A.\n 10 ID PIC X.\n 10 X PIC X.\n \
                        05 C REDEFINES A.\n 10 Y PIC X(2).\n 05 D REDEFINES A.\n 10 Z PIC X(2).\n";
        let options = [
            ("when", "K=A: A"),
            ("when", "K=B: B"),
            ("when", "K=C: C"),
            ("when", "K=D: D"),
            ("parent", "C < A: ID"),
            ("parent", "D < B: ID"),
        ];
        let job =
            options.iter().try_fold(RowsJob::new().separate_types(true), |job, one| job.set(one.0, one.1)).unwrap();
        let rows = job.rows(&job.layout(copybook.as_bytes()).unwrap()).unwrap();
        assert_eq!(rows.key_columns().len(), 2);
        let keys: Vec<_> = members(&rows).into_iter().filter(|member| member.name == "_parent.ID").collect();
        let [Member { value: Value::Leaf(ColumnType::Text { most: None }), .. }] = &keys[..] else {
            panic!("{} keys", keys.len());
        };
    }
}
