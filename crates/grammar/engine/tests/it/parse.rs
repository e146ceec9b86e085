//! The parser that the grammars are compared with.

use silcrow_event::Fragment;
use silcrow_grammar::Dialect;
use silcrow_parser::Parser;
use silcrow_testkit::Joined;

/// Parses one answer. Like a run, it reads no further than the execution point.
pub(crate) fn parse(wire: &str, dialect: Dialect) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(dialect);
    let mut is_waiting = false;
    parser.push(wire, &mut |fragment| {
        is_waiting |= matches!(fragment, Fragment::Execute);
        joined.push(fragment);
    });
    if !(is_waiting && dialect == Dialect::Action) {
        parser.finish(&mut |fragment| joined.push(fragment));
    }
    joined.finish()
}
