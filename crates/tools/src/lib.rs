//! The built-in tools, confined to one folder by the kernel.
