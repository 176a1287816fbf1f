//! A directory of images, in the order of their paths.
//!
//! With labels, the class of an image is the first directory of its path: `photos/cat/2020/a.jpg` is a `cat`. Images
//! directly in the root directory have no class. Without labels, directories can be nested in any way.

use std::fs;
use std::path::{Path, PathBuf};

use image::{DynamicImage, ImageDecoder, ImageError, ImageReader};

use super::one_shape::COLOURS;
use super::{Chunk, LabelPolicy, ReadOptions, Reader, RowFormat, Schema};
use crate::data::image::Fitter;
use crate::data::raw_labels::RawLabels;
use crate::data::{Features, Shape};
use crate::error::{Error, Problem, Result};
use crate::threads;

/// Files in one unit of work of a thread.
const FILES: usize = 16;

pub(super) const FORMAT: RowFormat = RowFormat { name: "image directory", extensions: &[], open };

/// Extensions of images, in lower case.
const IMAGES: &[&str] = &["bmp", "jpeg", "jpg", "pbm", "pgm", "png", "pnm", "ppm", "tif", "tiff", "webp"];

/// Maximum depth of directories. Only a cycle of links is deeper.
const MAX_DEPTH: usize = 32;

struct ImagesReader {
    root: PathBuf,
    /// Paths relative to `root`, sorted.
    files: Vec<PathBuf>,
    with_labels: bool,
    schema: Schema,
    done: usize,
}

fn open(root: &Path, options: &ReadOptions, labels: LabelPolicy) -> Result<Box<dyn Reader>> {
    let (mut files, mut others) = (Vec::new(), 0);
    walk(root, Path::new(""), MAX_DEPTH, &mut files, &mut others)?;
    if files.is_empty() {
        return Err(Problem::in_file(root)
            .found("no images")
            .wanted(format!("files named .{}", IMAGES.join(", .")))
            .into());
    }
    let loose = files.iter().find(|file| file.components().count() < 2);
    if let (Some(loose), LabelPolicy::Required) = (loose, labels) {
        return Err(Problem::in_file(root)
            .found(format!("no label for {}", loose.display()))
            .wanted("a directory for each class, with its images inside")
            .help("the name of the directory is the label: photos/cat/a.jpg is a cat")
            .into());
    }
    let fit = options.image.unwrap_or_default();
    let mut ignored = match others {
        0 => Vec::new(),
        1 => vec!["1 file that is not an image".to_owned()],
        n => vec![format!("{n} files that are not images")],
    };
    if fit.channels == 1 && is_coloured(&root.join(&files[0])) {
        ignored.push(COLOURS.to_owned());
    }
    Ok(Box::new(ImagesReader {
        schema: Schema {
            format: FORMAT.name,
            dtype: "uint8".to_owned(),
            shape: fit.shape(),
            rows: Some(files.len()),
            label: loose.is_none().then(|| "directory names".to_owned()),
            columns: None,
            ignored,
        },
        root: root.to_owned(),
        files,
        with_labels: labels == LabelPolicy::Required,
        done: 0,
    }))
}

/// Collects the images in `root/below`, sorted, and counts the other files.
fn walk(root: &Path, below: &Path, depth: usize, files: &mut Vec<PathBuf>, others: &mut usize) -> Result<()> {
    let directory = root.join(below);
    if depth == 0 {
        return Err(Problem::in_file(&directory)
            .found(format!("more than {MAX_DEPTH} directories deep"))
            .into());
    }
    let failed = |error| Error::io("read", &directory, error);
    let entries = fs::read_dir(&directory).map_err(failed)?;
    let mut names =
        entries.map(|entry| Ok(entry?.file_name())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    // The order of entries depends on the file system; the order of rows must not.
    names.sort();
    for name in names {
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        let path = below.join(&name);
        if root.join(&path).is_dir() {
            walk(root, &path, depth - 1, files, others)?;
        } else if has_image_extension(&path) {
            files.push(path);
        } else {
            *others += 1;
        }
    }
    Ok(())
}

fn has_image_extension(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| IMAGES.contains(&extension.as_str()))
}

impl Reader for ImagesReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        // A chunk also holds a name for each file, so it has at most 1024 rows.
        let end = self.files.len().min(self.done + max_rows.clamp(1, 1024));
        let files = &self.files[self.done..end];
        if files.is_empty() {
            return Ok(None);
        }
        let values = decode_all(&self.root, files, self.schema.shape)?;
        let labels =
            self.with_labels.then(|| RawLabels::Text(files.iter().map(|file| class(file)).collect()));
        let names = Some(files.iter().map(|file| name(file)).collect());
        self.done = end;
        Ok(Some(Chunk { features: Features::new(values, self.schema.shape)?, names, labels }))
    }
}

fn class(file: &Path) -> String {
    file.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned()).unwrap_or_default()
}

/// The path with `/` as the separator on every system.
fn name(file: &Path) -> String {
    file.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Decodes `files` on all threads; decoding takes most of the time of loading images.
fn decode_all(root: &Path, files: &[PathBuf], shape: Shape) -> Result<Vec<f32>> {
    let decode_some = |files: &[PathBuf]| -> Result<Vec<f32>> {
        let mut values = Vec::with_capacity(files.len() * shape.len());
        // Images of one directory mostly have one size, so the last fitter is reused.
        let mut last: Option<(Shape, Fitter)> = None;
        for file in files {
            decode(&root.join(file), shape, &mut last, &mut values)?;
        }
        Ok(values)
    };
    let mut values = Vec::with_capacity(files.len() * shape.len());
    for part in threads::map(files.chunks(FILES), decode_some) {
        values.append(&mut part?);
    }
    Ok(values)
}

fn decode(path: &Path, to: Shape, last: &mut Option<(Shape, Fitter)>, out: &mut Vec<f32>) -> Result<()> {
    let failed = |error| match error {
        ImageError::IoError(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            Error::io("read", path, error)
        }
        error => Problem::in_file(path)
            .found(format!("an image that cannot be read ({error})"))
            .help("remove the file, or replace it by a good copy")
            .into(),
    };
    let reader = ImageReader::open(path).map_err(|error| Error::io("read", path, error))?;
    // By content, because many files named .jpg are PNG.
    let reader = reader.with_guessed_format().map_err(|error| Error::io("read", path, error))?;
    let image = reader.decode().map_err(failed)?;
    let (width, height) = (image.width() as usize, image.height() as usize);
    let channels = if image.color().has_color() { 3 } else { 1 };
    let pixels = pixels(image);
    let from = Shape::Image { channels, height, width };
    let plane = |channel: usize| pixels.iter().skip(channel).step_by(channels).copied();
    let planes: Vec<f32> = (0..channels).flat_map(plane).collect();
    if from == to {
        out.extend_from_slice(&planes);
        return Ok(());
    }
    let fitter = match last {
        Some((shape, fitter)) if *shape == from => fitter,
        _ => &mut last.insert((from, Fitter::new(from, to)?)).1,
    };
    fitter.fit(&planes, out);
    Ok(())
}

/// Pixel values from 0 to 255 for every bit depth. 16 bits per channel, as from scanners and microscopes, are not
/// rounded to 8.
fn pixels(image: DynamicImage) -> Vec<f32> {
    let color = image.color();
    let eight_bits = color.bytes_per_pixel() == color.channel_count();
    let bytes = |bytes: Vec<u8>| bytes.into_iter().map(f32::from).collect();
    let unit = |values: Vec<f32>| values.into_iter().map(|value| 255.0 * value).collect();
    match (color.has_color(), eight_bits) {
        (true, true) => bytes(image.into_rgb8().into_raw()),
        (false, true) => bytes(image.into_luma8().into_raw()),
        (true, false) => unit(image.into_rgb32f().into_raw()),
        (false, false) => unit(image.to_luma32f().into_raw()),
    }
}

/// Whether the image at `path` has colours; false if it cannot be read, which is reported when it is decoded.
fn is_coloured(path: &Path) -> bool {
    let reader = ImageReader::open(path).and_then(ImageReader::with_guessed_format);
    let decoder = reader.ok().and_then(|reader| reader.into_decoder().ok());
    decoder.is_some_and(|decoder| decoder.color_type().has_color())
}
