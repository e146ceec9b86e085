#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| silcrow_fuzz::plan(input));
