use super::is_too_long;

#[test]
fn every_server_is_understood() {
    for message in [
        // The services of vendors.
        "prompt is too long: 213462 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199211 + 20000 > 200000, decrease input",
        "messages: too many total text bytes",
        "Extra usage is required for long context requests.",
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000.",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "Input tokens exceed the configured limit of 272000 tokens.",
        "Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000, Requested \
         40000. The input or output tokens must be reduced in order to run successfully.",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
        "Your input context is too long. Reduce your input context or switch to another model.",
        "Request contains 35000 tokens, which exceeds the limit of 32768.",
        "Request payload size exceeds the limit: 20971520 bytes.",
        "Unable to submit request because the input token count is 40000 but the model only supports up to \
         32768. Reduce the input token count and try again.",
        "The model returned the following errors: Input is too long for requested model.",
        "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input.",
        "Malformed input request: expected maxLength: 50000, actual: 66041, please reformat your input",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Please reduce the length of the messages or completion.",
        "Request too large for model `llama` in organization `o` on tokens per minute (TPM): Limit 6000, \
         Requested 8130, please reduce your message size and try again.",
        "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
        "prompt token count of 150000 exceeds the limit of 128000",
        "Request body too large for gpt-4o model. Max size: 8000 tokens.",
        "invalid params, context window exceeds limit (2013)",
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)",
        "Input token length too long",
        "k3-256k supports only 256K context.",
        "Input token exceed the limit (request id: 2026)",
        "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
        "The number of tokens in the prompt exceeds the model's maximum context length of 32768.",
        "too many tokens: total number of tokens in the prompt exceeds the limit of 128000",
        "total number of tokens (prompt and prediction) cannot exceed 4081 - received 4500. Try using a \
         shorter prompt",
        "Prompt exceeds max length",
        "Prompt 超长",
        "tokens in request more than max tokens allowed",
        "Range of input length should be [1, 129024]",
        "Input length 40000 exceeds the maximum length 32768",
        "Total tokens of multi-modal content and text exceed max message tokens. Request id: 1",
        "length of prompt_tokens (33000) must be less than max_seq_len (32768).",
        "Prompt tokens too long",
        "token数量超过上限",
        "输入长度超过限制",
        "The number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
        // Gateways.
        "This endpoint's maximum context length is 40960 tokens. However, you requested about 52000 tokens.",
        "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
        "litellm.BadRequestError: litellm.ContextWindowExceededError: OpenAIException - no",
        "The estimated number of input and maximum output tokens (9000) exceeded this model context window \
         limit (7968).",
        // Servers that one runs.
        "the request exceeds the available context size, try increasing it",
        "tokens to keep from the initial prompt is greater than the context length",
        "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded.",
        "Cannot truncate prompt with n_keep (5000) >= n_ctx (4096)",
        "Reached context length of 4096 tokens, but this model does not support mid-generation context \
         overflow",
        "Requested tokens (2500) exceed context window of 2048",
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        "Input prompt (9000 tokens) is too long and exceeds limit of 8192; the context length is 8192",
        "You passed 12289 input tokens and requested 4096 output tokens. However, the model's context \
         length is only 16384 tokens, resulting in a maximum input length of 12288 tokens.",
        "max_tokens must be at least 1, got -1016.",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 and 500",
        "Input validation error: `inputs` must have less than 1024 tokens. Given: 1168",
        "inputs tokens + max_new_tokens must be <= 32769",
        "The input (70000 tokens) is longer than the model's context length (65536 tokens).",
        "Input length (265330 tokens) exceeds the maximum allowed length (262144 tokens).",
        "Requested token count exceeds the model's maximum context length of 32768 tokens.",
        "Prompt length 9000 is greater than max_seq_len 8192",
        "Requested input length 56000 exceeds maximum input length 32768",
        "The sum of prompt length (9000), query length (0) should not exceed max_num_tokens (8192)",
        "Prompt has 256468 tokens, but the configured context size is 256000 tokens",
        "prompt too long; exceeded max context length by 400 tokens",
        "the input length exceeds the context length",
        "The prompt is too long: 140000, model maximum context length: 131071",
    ] {
        assert!(is_too_long("", message), "{message}");
    }
    for words in [
        "exceed_context_size_error",
        "invalid model_max_prompt_tokens_exceeded",
        "tokens_limit_reached",
        "context_window_exceeded",
    ] {
        assert!(is_too_long(words, ""), "{words}");
    }
}

#[test]
fn other_errors_are_not_context_overflows() {
    for message in [
        "Rate limit reached for tokens per minute: too many tokens",
        "Request too large: tokens per minute (TPM): Limit 6000, Requested 8000",
        "Too many tokens, please wait before trying again.",
        "Too many tokens per day, please wait before trying again.",
        "Throttling error: too many input tokens",
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
        "You exceeded your current quota. Quota exceeded for metric: input_token_count, limit: 250000",
        "max_tokens is too large: 200000. This model supports at most 16384 completion tokens",
        "The maximum tokens you requested exceeds the model limit of 4096.",
        "Range of max_tokens should be [1, 32768]",
        "the name of the tool is longer than 64 characters",
        "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64",
        "`inputs` must not be empty",
        "You exceeded your current quota, please check your plan and billing details",
        "the context of the image cannot be read",
        "This model supports only text",
        "image exceeds 5 MB maximum",
    ] {
        assert!(!is_too_long("", message), "{message}");
    }
}
