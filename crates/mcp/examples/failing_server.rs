//! The server of the tests: one that dies, freezes and garbles its output when it is asked to.

fn main() {
    silcrow_testkit::serve_mcp();
}
