//! The helper that the tests start: the harness of a test has a `main` of its own.

fn main() {
    silcrow_sandbox::run_helper_if_asked();
}
