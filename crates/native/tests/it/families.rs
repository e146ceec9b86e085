//! Names of families and of models.

use std::collections::HashSet;

use silcrow_native::NativeFamily;

#[test]
fn names_are_unique_and_known() {
    let mut names = HashSet::new();
    for family in NativeFamily::all() {
        assert!(names.insert(family.name()), "{family}");
        assert_eq!(family.name().parse(), Ok(family));
    }
    assert!(names.len() >= 60, "{}", names.len());
    let unknown = "nobody".parse::<NativeFamily>().unwrap_err();
    insta::assert_snapshot!(unknown, @"unknown native family `nobody`; `NativeFamily::all` lists the families");
}

#[test]
fn longest_part_of_a_models_name_decides() {
    let models = [
        ("Qwen/Qwen3-Coder-480B-A35B-Instruct", "qwen3_coder"),
        ("Qwen/Qwen3.5-35B-A3B", "qwen3_coder"),
        ("Qwen/Qwen3-8B", "hermes"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek_v31"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek_v31"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek_v32"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "deepseek_r1"),
        ("deepseek-v4.1", "deepseek_v41"),
        ("zai-org/GLM-4.6", "glm45"),
        ("zai-org/GLM-5", "glm47"),
        ("moonshotai/Kimi-K2-Thinking", "kimi_k2"),
        ("moonshotai/Kimi-K3", "kimi_k3"),
        ("MiniMaxAI/MiniMax-M2", "minimax_m2"),
        ("MiniMaxAI/MiniMax-M3", "minimax_m3"),
        ("openai/gpt-oss-120b", "harmony"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral_args"),
        ("mistralai/Mistral-Nemo-Instruct-2407", "mistral_json"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3_json"),
        ("meta-llama/Llama-4-Scout", "llama4_pythonic"),
        ("nvidia/Nemotron-3-Nano", "nemotron3"),
        ("google/gemma-4-27b-it", "gemma4"),
        ("stepfun-ai/Step-3.5-Flash", "step35"),
        ("CohereLabs/command-a-03-2025", "cohere_cmd"),
    ];
    for (model, family) in models {
        let found = NativeFamily::of_model(model).map(NativeFamily::name);
        assert_eq!(found, Some(family), "{model}");
    }
    assert_eq!(NativeFamily::of_model("gpt-2"), None);
}
