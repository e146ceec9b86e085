//! The store on real folders, in this process and in others.

mod alternate;
mod compact;
mod conformance;
mod mend;
