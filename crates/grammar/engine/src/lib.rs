//! Tests of the exported grammars in an engine for constrained decoding. They are in the folder `tests`.
