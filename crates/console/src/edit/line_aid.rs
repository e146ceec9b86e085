//! Aids for typing a line.

use super::offer_menu::LineOffers;

/// Suggests and describes words of the line being edited.
///
/// ```
/// use silcrow_console::edit::{LineAid, LineOffer, LineOffers};
///
/// /// Completes one command.
/// struct Commands;
///
/// impl LineAid for Commands {
///     fn offers(&self, before: &str, _: bool) -> LineOffers {
///         let (shown, about) = ("/help".to_owned(), "lists the commands".to_owned());
///         let help = LineOffer { replacement: shown.clone(), shown, about };
///         let is_meant = before.starts_with('/') && "/help".starts_with(before);
///         LineOffers { start: 0, list: Vec::from_iter(is_meant.then_some(help)) }
///     }
///     fn hint(&self, _: &str) -> Option<String> {
///         None
///     }
///     fn change_mode(&self) {}
/// }
///
/// assert_eq!(Commands.offers("/he", false).list[0].replacement, "/help");
/// assert!(Commands.offers("hello", false).list.is_empty());
/// ```
pub trait LineAid: Send {
    /// Returns the possible replacements for the end of a line before the cursor. It is asked after
    /// each key, so without `is_asked`, which Tab sets, it takes moments.
    fn offers(&self, before: &str, is_asked: bool) -> LineOffers;

    /// Returns a few words to show after the end of a line.
    fn hint(&self, line: &str) -> Option<String>;

    /// Carries out Shift-Tab.
    fn change_mode(&self);

    /// Returns the meaning of a pasted text, such as a file that it names. By default it is itself.
    fn pasted(&self, _: &str) -> Option<String> {
        None
    }

    /// Takes the picture of the clipboard, and returns a line about its use, or about the reason
    /// why none was found. It may take some seconds. By default nothing is taken, and nothing said.
    fn take_picture(&self) -> Option<String> {
        None
    }

    /// Returns whether the line is edited with vi keys; `false` by default.
    fn has_vi_keys(&self) -> bool {
        false
    }
}

/// Helps with nothing.
pub(super) struct NoAid;

impl LineAid for NoAid {
    fn offers(&self, _: &str, _: bool) -> LineOffers {
        LineOffers::default()
    }

    fn hint(&self, _: &str) -> Option<String> {
        None
    }

    fn change_mode(&self) {}
}
