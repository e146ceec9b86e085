//! The parser that the grammars are compared with.

use silcrow_grammar::Dialect;
use silcrow_parser::Parser;
use silcrow_testkit::Joined;

pub(crate) fn parse(wire: &str, dialect: Dialect) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(dialect);
    parser.push(wire, &mut |fragment| joined.push(fragment));
    parser.finish(&mut |fragment| joined.push(fragment));
    joined.finish()
}
