//! Pages of PDFs as pictures, drawn in this process.

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_interpret::util::TransformExt as _;
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};
use silcrow_event::MediaRef;

use crate::fit::pixels::Pixels;
use crate::fit_limits::FitLimits;
use crate::image_region::ImageRegion;
use crate::image_size::ImageSize;
use crate::media_format::MediaFormat;
use crate::pdf_page::PdfPage;

/// Returns a page of a PDF, or a region of it, with as many pixels as the limits allow. A region is in pixels
/// of the whole page under the same limits.
pub(crate) fn draw_page(
    pdf: &[u8],
    number: u32,
    region: Option<ImageRegion>,
    limits: &FitLimits,
) -> Result<PdfPage, String> {
    let document = Pdf::new(pdf.to_vec()).map_err(|_| {
        "it cannot be drawn: it is damaged, or encrypted with a password".to_owned()
    })?;
    let page_count = u32::try_from(document.pages().len()).unwrap_or(u32::MAX);
    if page_count == 0 {
        return Err("it has no pages".to_owned());
    }
    let at = number.checked_sub(1).ok_or("its pages count from 1")?;
    let page = document
        .pages()
        .get(at as usize)
        .ok_or_else(|| format!("it ends before page {number}: it has {page_count} pages"))?;
    let whole = PageView::whole(page, limits)
        .ok_or_else(|| format!("its page {number} has no area that can be drawn"))?;
    let view = match region {
        None => whole,
        Some(region) => whole.zoomed(region, limits).ok_or_else(|| {
            let ImageSize { width, height } = whole.size;
            format!("the region is outside of page {number}, which has {width} × {height} pixels")
        })?,
    };
    let pixels = view.draw(page).ok_or("it cannot be drawn")?;
    // The pages of a scan are photos, which are a fifth as large as JPEG.
    let limits = FitLimits { bytes: limits.bytes.min(MOST_OF_PAGE), ..*limits };
    let (bytes, format, size) =
        pixels.write(MediaFormat::Png, &limits).map_err(|error| error.to_string())?;
    let part = match region {
        None => String::new(),
        Some(ImageRegion { x, y, width, height }) => format!(", {width} × {height} at {x}, {y}"),
    };
    let picture = MediaRef::new(format.mime(), bytes)
        .with_size(size.width, size.height)
        .with_alt(format!("page {number} of {page_count}{part}"));
    Ok(PdfPage { page_count, picture })
}

/// The part of a page that is drawn.
#[derive(Clone, Copy)]
struct PageView {
    /// Pixels for each unit of the page.
    scale: f64,
    /// The corner, in pixels of the whole page at this scale.
    corner: (f64, f64),
    size: ImageSize,
}

impl PageView {
    /// Returns the whole page, or `None` if it has no area.
    fn whole(page: &Page<'_>, limits: &FitLimits) -> Option<Self> {
        let (width, height) = page.render_dimensions();
        let (width, height) = (f64::from(width), f64::from(height));
        let scale = f64::from(limits.long_edge) / width.max(height);
        let is_drawn = width > 0.0 && height > 0.0 && scale.is_finite();
        is_drawn.then(|| {
            let size = ImageSize {
                width: pixels(width * scale, limits),
                height: pixels(height * scale, limits),
            };
            Self { scale, corner: (0.0, 0.0), size }
        })
    }

    /// Returns a region of a whole page, as large as it can be.
    fn zoomed(self, region: ImageRegion, limits: &FitLimits) -> Option<Self> {
        let ImageRegion { x, y, width, height } = region.within(self.size)?;
        let factor = f64::from(limits.long_edge) / f64::from(width.max(height));
        let size = ImageSize {
            width: pixels(f64::from(width) * factor, limits),
            height: pixels(f64::from(height) * factor, limits),
        };
        let corner = (f64::from(x) * factor, f64::from(y) * factor);
        Some(Self { scale: self.scale * factor, corner, size })
    }

    fn draw(self, page: &Page<'_>) -> Option<Pixels> {
        let ImageSize { width, height } = self.size;
        let (across, down) = (u16::try_from(width).ok()?, u16::try_from(height).ok()?);
        let mut context = RenderContext::new(across, down);
        let (x, y) = self.corner;
        let transform = Affine::translate((-x, -y))
            * Affine::scale(self.scale)
            * page.initial_transform(true).to_kurbo();
        let settings = InterpreterSettings::default();
        let cache = RenderCache::new();
        render_into(page, &cache, &settings, &RenderSettings::default(), &mut context, transform);
        context.flush();
        let mut drawn = Pixmap::new(across, down);
        let on_white =
            RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..Default::default() };
        context.render_with(&mut drawn, &mut Resources::default(), on_white);
        // On white paper, no pixel is transparent.
        let rgb =
            drawn.data_as_u8_slice().chunks_exact(4).flat_map(|rgba| [rgba[0], rgba[1], rgba[2]]);
        Pixels::drawn(rgb.collect(), self.size)
    }
}

/// Returns a number of pixels that a picture may have.
fn pixels(wanted: f64, limits: &FitLimits) -> u32 {
    // The conversion keeps it between zero and the largest number.
    (wanted.round() as u32).clamp(limits.short_edge.max(1), limits.long_edge.max(1))
}

/// The number of bytes beyond which a page is written as a JPEG.
const MOST_OF_PAGE: usize = 1 << 20;
