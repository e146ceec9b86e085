//! The grammar to which a server restricts the model of a session.

use silcrow_grammar::{GrammarFormat, GrammarTool, grammar, grammar_of_tools};
use silcrow_tool::Toolbox;
use silcrow_vendors::OutputGrammar;

use crate::options::SessionOptions;

/// Returns the grammar of the dialect and these tools, or of any, if a server restricts the model.
pub(crate) fn grammar_for(
    options: &SessionOptions,
    tools: Option<&Toolbox>,
) -> Option<OutputGrammar> {
    let (server, format) = (options.grammar?, GrammarFormat::Gbnf);
    let text = match tools {
        None => grammar(options.dialect, format, None),
        Some(tools) => {
            let held: Vec<_> = tools
                .iter()
                .map(|tool| GrammarTool::new(tool.name()).with_schema(tool.schema()))
                .collect();
            grammar_of_tools(options.dialect, format, &held)
        }
    };
    Some(OutputGrammar::of_gbnf(server, text))
}
