//! Converts Arrow columns to `f32` or to labels.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::number::Numeric;
use crate::data::raw_labels::RawLabels;

/// Runs `$body` with `$column` as an array of its primitive type, or `$otherwise` for other types.
macro_rules! primitive {
    ($array:expr, |$column:ident| $body:expr, $otherwise:expr) => {{
        macro_rules! of {
            ($type:ty) => {{
                let $column = $array.as_primitive::<$type>();
                $body
            }};
        }
        match $array.data_type() {
            DataType::Float16 => of!(Float16Type),
            DataType::Float32 => of!(Float32Type),
            DataType::Float64 => of!(Float64Type),
            DataType::Int8 => of!(Int8Type),
            DataType::Int16 => of!(Int16Type),
            DataType::Int32 => of!(Int32Type),
            DataType::Int64 => of!(Int64Type),
            DataType::UInt8 => of!(UInt8Type),
            DataType::UInt16 => of!(UInt16Type),
            DataType::UInt32 => of!(UInt32Type),
            DataType::UInt64 => of!(UInt64Type),
            _ => $otherwise,
        }
    }};
}

/// Whether a column can be a feature.
pub(super) fn is_numeric(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_floating() || *data_type == DataType::Boolean
}

/// NumPy's name of the type.
pub(super) fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            format!("list of {}", type_name(item.data_type()))
        }
        DataType::Boolean => "bool".to_owned(),
        data_type => data_type.to_string().to_lowercase(),
    }
}

/// Writes a column to every `width`-th element of `values`, starting at `offset`. Nulls become NaN.
pub(super) fn copy_column(column: &ArrayRef, values: &mut [f32], offset: usize, width: usize) {
    let places = values.iter_mut().skip(offset).step_by(width.max(1));
    if let Some(column) = column.as_boolean_opt() {
        let flags = column.iter().map(|flag| flag.map_or(f32::NAN, f32::from));
        return places.zip(flags).for_each(|(place, value)| *place = value);
    }
    primitive!(
        column,
        |column| {
            let to_f32 = Numeric::to_f32;
            match column.nulls() {
                None => places.zip(column.values()).for_each(|(place, value)| *place = to_f32(*value)),
                Some(_) => {
                    let numbers = column.iter().map(|value| value.map_or(f32::NAN, to_f32));
                    places.zip(numbers).for_each(|(place, value)| *place = value);
                }
            }
        },
        places.for_each(|place| *place = f32::NAN)
    );
}

/// Start and end of the items of row `row`.
fn list_range(lists: &ArrayRef, row: usize) -> Option<(usize, usize)> {
    match lists.data_type() {
        DataType::List(_) => {
            let offsets = lists.as_list::<i32>().value_offsets();
            Some((usize::try_from(*offsets.get(row)?).ok()?, usize::try_from(*offsets.get(row + 1)?).ok()?))
        }
        DataType::LargeList(_) => {
            let offsets = lists.as_list::<i64>().value_offsets();
            Some((usize::try_from(*offsets.get(row)?).ok()?, usize::try_from(*offsets.get(row + 1)?).ok()?))
        }
        DataType::FixedSizeList(_, length) => {
            let length = usize::try_from(*length).ok()?;
            let start = lists.as_fixed_size_list().value_offset_at(row);
            Some((start, start + length))
        }
        _ => None,
    }
}

/// The number of items in row `row`.
pub(super) fn list_length(lists: &ArrayRef, row: usize) -> Option<usize> {
    list_range(lists, row).map(|(start, end)| end - start)
}

/// The items of all rows, `width` each. The error is the first row of another length, and what was found.
pub(super) fn list_values(lists: &ArrayRef, width: usize) -> Result<Vec<f32>, (usize, String)> {
    for row in 0..lists.len() {
        if lists.is_null(row) {
            return Err((row, "null instead of a list".to_owned()));
        }
        match list_length(lists, row) {
            Some(length) if length == width => {}
            length => {
                return Err((row, format!("a list of {}, wanted {width} as before", length.unwrap_or(0))));
            }
        }
    }
    let items = match lists.data_type() {
        DataType::List(_) => lists.as_list::<i32>().values(),
        DataType::LargeList(_) => lists.as_list::<i64>().values(),
        _ => lists.as_fixed_size_list().values(),
    };
    let start = list_range(lists, 0).map_or(0, |(start, _)| start);
    let mut values = vec![0.0; lists.len() * width];
    copy_column(&items.slice(start, values.len()), &mut values, 0, 1);
    Ok(values)
}

/// A column as labels. The error is the first row without a valid label, and what was found.
pub(super) fn labels(column: &ArrayRef) -> Result<RawLabels, (usize, String)> {
    // Categories are texts with integer keys; both may be null.
    if let Some(categories) = column.as_any_dictionary_opt() {
        let names = texts(categories.values())?;
        // Without categories no row has a label, and `normalized_keys` would panic.
        if names.is_empty() {
            return if column.is_empty() { Ok(RawLabels::Text(Vec::new())) } else { Err(no_label(0)) };
        }
        let keys = categories.normalized_keys();
        let name = |row: usize| match column.is_null(row) {
            true => Err(no_label(row)),
            false => names.get(keys[row]).cloned().flatten().ok_or_else(|| no_label(row)),
        };
        return Ok(RawLabels::Text((0..column.len()).map(name).collect::<Result<_, _>>()?));
    }
    primitive!(column, |column| return whole(column).map(RawLabels::Int), {
        let texts = texts(column)?.into_iter().enumerate();
        let texts: Result<_, _> = texts.map(|(row, text)| text.ok_or_else(|| no_label(row))).collect();
        Ok(RawLabels::Text(texts?))
    })
}

fn no_label(row: usize) -> (usize, String) {
    (row, "no label, wanted one in each row".to_owned())
}

fn whole<T>(column: &arrow_array::PrimitiveArray<T>) -> Result<Vec<i64>, (usize, String)>
where
    T: ArrowPrimitiveType<Native: Numeric>,
{
    let label = |(row, value): (usize, Option<T::Native>)| match value.map(Numeric::to_label) {
        Some(Ok(label)) => Ok(label),
        Some(Err(value)) => Err((row, format!("the label {value}, wanted whole numbers or texts"))),
        None => Err(no_label(row)),
    };
    column.iter().enumerate().map(label).collect()
}

/// Texts of any kind, `None` for null.
fn texts(column: &ArrayRef) -> Result<Vec<Option<String>>, (usize, String)> {
    fn owned<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<String>> {
        texts.map(|text| text.map(str::to_owned)).collect()
    }
    match column.data_type() {
        DataType::Utf8 => Ok(owned(column.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Ok(owned(column.as_string::<i64>().iter())),
        DataType::Utf8View => Ok(owned(column.as_string_view().iter())),
        DataType::Boolean => {
            let name = |flag: bool| if flag { "true" } else { "false" };
            Ok(owned(column.as_boolean().iter().map(|flag| flag.map(name))))
        }
        other => {
            let integers = primitive!(column, |column| whole(column), {
                Err((0, format!("labels of the type {other}, wanted whole numbers or texts")))
            })?;
            Ok(integers.into_iter().map(|label| Some(label.to_string())).collect())
        }
    }
}
