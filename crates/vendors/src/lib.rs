//! Providers over HTTP: OpenAI's Chat Completions and every compatible server.
