//! Says to the linker of macOS that Python itself, which loads the module, has the functions of Python.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos") {
        println!("cargo::rustc-link-arg-cdylib=-undefined");
        println!("cargo::rustc-link-arg-cdylib=dynamic_lookup");
    }
}
