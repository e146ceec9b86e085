//! Headers of clients.

use silcrow_front::ChatHeaders;

#[test]
fn headers_name_the_chat_and_the_person() {
    let headers = ChatHeaders::read([
        ("Authorization", "Bearer x"),
        ("X-OpenWebUI-Chat-Id", "c7"),
        ("X-OpenWebUI-User-Name", "Zo%C3%AB %41 100%"),
        ("X-OpenWebUI-User-Id", "u%41"),
        ("X-OpenWebUI-User-Email", "zoe@example.org"),
        ("X-OpenWebUI-User-Role", "admin"),
        ("x-silcrow-message", "m2"),
        ("x-silcrow-parent", "m1"),
        ("x-silcrow-chat", "c8"),
    ]);
    assert_eq!(headers.chat.as_deref(), Some("c7"));
    assert_eq!(headers.user_name.as_deref(), Some("Zoë A 100%"));
    assert_eq!(headers.user.as_deref(), Some("u%41"));
    assert_eq!(headers.user_email.as_deref(), Some("zoe@example.org"));
    assert_eq!(headers.user_role.as_deref(), Some("admin"));
    assert_eq!((headers.parent.as_deref(), headers.message.as_deref()), (Some("m1"), Some("m2")));
}

/// A client whose setting has no value sends an empty one, or the template.
#[test]
fn a_task_without_a_value_is_none() {
    for value in ["", " ", "{{TASK}}"] {
        assert_eq!(ChatHeaders::read([("X-Silcrow-Task", value)]), ChatHeaders::default());
    }
}

#[test]
fn single_message_in_known_chat_is_background_task() {
    let chat = ChatHeaders::read([("X-OpenWebUI-Chat-Id", "c7")]);
    assert!(chat.is_background_task(true, true));
    assert!(!chat.is_background_task(true, false));
    assert!(!chat.is_background_task(false, true));
    assert!(!ChatHeaders::default().is_background_task(true, true));
    let task = ChatHeaders::read([("X-Silcrow-Task", "tags_generation")]);
    assert!(task.is_background_task(false, false));
}
