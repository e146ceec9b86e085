//! MCP servers as files and callers declare them.

use silcrow_settings::{DeclaredServer, Environment, GivenSettings, Settings};

use super::Home;

#[test]
fn given_servers_replace_namesakes_and_disabled_are_omitted() {
    let home = Home::new();
    home.own(
        "[mcp.one]\ncommand = [\"person\"]\n[mcp.off]\ncommand = [\"x\"]\noff = true\n\
         [mcp.two]\ncommand = [\"two\"]\n",
    );
    let files = home.load().unwrap();
    let mut given = GivenSettings::default();
    given.servers = vec![DeclaredServer::typed("one=given").unwrap()];
    let names = |given: GivenSettings| {
        let servers = Settings::resolve(given, &files).servers;
        servers.iter().map(|server| server.place.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(given.clone()), ["given", "two"]);
    given.leaves_out_servers = true;
    assert_eq!(names(given), ["given"]);
    assert_eq!(files.servers().len(), 3);
}

#[test]
fn project_server_cannot_take_a_person_server_name() {
    let home = Home::new();
    home.own("[mcp.files]\ncommand = [\"mine\"]\n");
    home.project("[mcp.files]\ncommand = [\"theirs\"]\n[mcp.more]\ncommand = [\"more\"]\n");
    assert_eq!(home.load().unwrap().servers().len(), 1);
    silcrow_settings::FileSettings::trust_projects(&home.environment(&[]), &home.root()).unwrap();
    let servers = home.load().unwrap().servers();
    let shown: Vec<_> = servers.iter().map(|server| server.place.to_string()).collect();
    assert_eq!(shown, ["mine", "more"]);
}

#[test]
fn server_secrets_are_its_hidden_variable_values() {
    let home = Home::new();
    home.own(
        "[mcp.issues]\nurl = \"https://issues.example.org/mcp\"\ntoken = \"$ISSUES_TOKEN\"\n\
         headers = { X-Tenant = \"ours\" }\n",
    );
    let server = &home.load().unwrap().servers()[0];
    let environment = Environment::from_vars([("ISSUES_TOKEN", "value-0123456789")]);
    let secrets = server.secrets(&environment);
    assert_eq!(secrets.len(), 1);
    assert_eq!(secrets[0].expose(), "value-0123456789");
    let place = server.place.to_string();
    assert_eq!(place, "https://issues.example.org/mcp (with $ISSUES_TOKEN, X-Tenant: ours)");
    assert!(server.login_url().is_none());
}
