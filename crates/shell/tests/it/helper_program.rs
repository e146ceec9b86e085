//! The helper that the tests start: the harness of a test has its own `main`.

fn main() {
    silcrow_sandbox::run_helper_if_asked();
}
