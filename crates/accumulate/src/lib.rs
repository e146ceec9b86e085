//! Fragments to complete events; says emit, run or stop, in the safe order.
