//! Runs commands confined by the Linux kernel, and ends whole trees of processes.
