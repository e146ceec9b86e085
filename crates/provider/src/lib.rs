//! The `Provider` trait, deltas, a sans-IO SSE decoder and a scripted provider.
