//! The writer of files, the inverse of the reader.

use std::fmt;

use crate::{Case, CaseFile, CaseText, head, marks};

impl fmt::Display for CaseFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_header(&self.header, &[], f)?;
        for (index, case) in self.cases.iter().enumerate() {
            if index > 0 || !self.header.is_empty() {
                writeln!(f)?;
            }
            case.write(&self.header, f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(&[], f)
    }
}

impl Case {
    /// Writes the case into a file with this header.
    fn write(&self, header: &[(String, String)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", marks::TITLE, self.id)?;
        write_header(&self.header, header, f)?;
        writeln!(f, "{}", marks::HEAD)?;
        write_text(&self.wire, f)?;
        for section in &self.sections {
            writeln!(f, "{} {}", marks::HEAD, head::write(section))?;
            write_text(&section.text, f)?;
        }
        Ok(())
    }
}

fn write_header(
    header: &[(String, String)],
    inherited: &[(String, String)],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for pair in header.iter().filter(|pair| !inherited.contains(pair)) {
        writeln!(f, "{}: {}", pair.0, pair.1)?;
    }
    Ok(())
}

fn write_text(text: &CaseText, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if text.is_empty() { Ok(()) } else { writeln!(f, "{}", marks::encode(text)) }
}
