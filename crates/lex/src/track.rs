use crate::dialect::Dialect;
use crate::lexer::Lexer;
use crate::pending::Stage;
use crate::recognise::Found;
use crate::string::find_near_stop;

/// An item of a body is followed, not parsed (P-8).
impl Lexer {
    /// Follows strings and brackets to the item's end, or to a delimiter that counts.
    pub(crate) fn track(&mut self, bytes: &[u8], from: usize) -> Result<usize, Found> {
        let mut at = from;
        while at < bytes.len() {
            at = if self.body.in_string {
                self.track_string(bytes, at)?
            } else {
                self.track_brackets(bytes, at)?
            };
            if self.body.depth == 0 && !self.body.in_string {
                self.held.stage = Stage::Complete;
                break;
            }
        }
        Ok(at)
    }

    /// To the end of the string.
    fn track_string(&mut self, bytes: &[u8], from: usize) -> Result<usize, Found> {
        let mut at = from;
        loop {
            // A delimiter counts only at a line's start behind a raw line break.
            if self.body.broken
                && self.at_line_start(bytes, at)
                && self.dialect.strip_first(&bytes[at..]).is_some()
            {
                match self.probe(bytes, at) {
                    Ok(found) => return Err(found),
                    Err(behind) => at = behind,
                }
            }
            let Some(stop) = find_near_stop(&bytes[at..], &mut self.body.escaped) else {
                return Ok(bytes.len());
            };
            at += stop + 1;
            if bytes[at - 1] == b'"' {
                self.body.in_string = false;
                return Ok(at);
            }
            self.body.broken = true;
        }
    }

    /// To the next string, or to the last bracket.
    fn track_brackets(&mut self, bytes: &[u8], from: usize) -> Result<usize, Found> {
        let mut at = from;
        while let Some(skipped) = bytes[at..].iter().position(|&byte| COUNTS[usize::from(byte)]) {
            at += skipped + 1;
            match bytes[at - 1] {
                b'"' => {
                    self.body.in_string = true;
                    return Ok(at);
                }
                b'{' | b'[' => self.body.depth = self.body.depth.saturating_add(1),
                b'}' | b']' => {
                    self.body.depth = self.body.depth.saturating_sub(1);
                    if self.body.depth == 0 {
                        return Ok(at);
                    }
                }
                _ => match self.probe(bytes, at - 1) {
                    Ok(found) => return Err(found),
                    Err(behind) => at = behind,
                },
            }
        }
        Ok(bytes.len())
    }

    /// Passes an item that is neither object, array nor string.
    pub(crate) fn scalar(&mut self, bytes: &[u8]) -> Result<usize, Found> {
        let first = self.dialect.first_byte();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']' | b'{' | b'"' => {
                    self.held.stage = Stage::Complete;
                    return Ok(at);
                }
                _ if byte == first => match self.probe(bytes, at) {
                    Ok(found) => return Err(found),
                    Err(behind) => at = behind,
                },
                _ => at += 1,
            }
        }
        Ok(at)
    }
}

/// What counts outside of strings: quotes, brackets, and what may begin a delimiter of any dialect.
static COUNTS: [bool; 256] = {
    let mut counts = [false; 256];
    let bytes = b"\"{}[]";
    let mut at = 0;
    while at < bytes.len() {
        counts[bytes[at] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < Dialect::ALL.len() {
        counts[Dialect::ALL[at].first_byte() as usize] = true;
        at += 1;
    }
    counts
};
