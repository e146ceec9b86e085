//! Pictures on their whole way: from a file to the model, and in the store.

use serde_json::Value;

use crate::server::play;
use crate::support::{CommandOutput, Sandbox};

pub(crate) const SHOT: &[u8] = include_bytes!("shot.png");
const LINE: &str = "[image 1: shot.png, PNG, 40 × 30]";

/// Answers of a server of Chat Completions.
pub(crate) fn says(text: &str) -> Vec<u8> {
    let content = serde_json::json!({
        "choices": [{"delta": {"content": text}, "finish_reason": "stop"}]
    });
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    format!("{head}data: {content}\n\n").into_bytes()
}

fn refuses(message: &str) -> Vec<u8> {
    let body = serde_json::json!({"error": {"message": message, "code": 400}}).to_string();
    let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Runs prompts in one conversation, each with one answer of the server or several, and returns the bodies
/// of the requests.
pub(crate) fn talk(
    sandbox: &Sandbox,
    model: &str,
    prompts: &[&[&str]],
    answers: Vec<Vec<u8>>,
) -> (Vec<String>, Vec<CommandOutput>) {
    let (address, server) = play(answers, 4096);
    let model = format!("compatible:http://{address}#{model}");
    let mut outputs = Vec::new();
    for (at, prompt) in prompts.iter().enumerate() {
        let flag = if at == 0 { "--new" } else { "--conversation" };
        let args = [&["run"], *prompt, &[flag, "talk", "--model", &model]].concat();
        let output = sandbox.silcrow(&args);
        output.ends(0);
        outputs.push(output);
    }
    let bodies = server.join().unwrap().into_iter();
    (bodies.map(|request| request.split_once("\r\n\r\n").unwrap().1.to_owned()).collect(), outputs)
}

/// The pictures in a request, as bytes.
pub(crate) fn pictures(body: &str) -> Vec<&str> {
    body.split("data:image/png;base64,")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect()
}

#[test]
fn picture_reaches_the_model_and_stays() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("shot.png"), SHOT).unwrap();
    let prompts: [&[&str]; 2] = [&["What is in @shot.png?"], &["And now?"]];
    let (bodies, outputs) = talk(
        &sandbox,
        "gpt-4o",
        &prompts,
        vec![says("§respond: Dots.\n§end"), says("§respond: Yes.\n§end")],
    );
    assert!(outputs[0].err.contains("with image: shot.png, PNG, 40 × 30"), "{}", outputs[0].err);
    for body in &bodies {
        assert_eq!(pictures(body).len(), 1, "{body}");
        assert!(body.contains(LINE), "{body}");
    }
    // The same bytes in each request, without the file's metadata.
    assert_eq!(pictures(&bodies[0]), pictures(&bodies[1]));
    assert!(!bodies[0].contains("U0VDUkVUIFBMQUNF"), "the comment of the picture is sent");

    let shown = sandbox.silcrow(&["log", "show", "talk"]).ends(0).out.clone();
    assert!(shown.contains(LINE), "{shown}");
    let event = sandbox.silcrow(&["log", "--json", "show", "talk"]).out;
    let event: Value = serde_json::from_str(event.lines().next().unwrap()).unwrap();
    assert_eq!(event["parts"][1]["media"]["name"], "shot.png");
    assert!(event.to_string().len() < 1000, "the event has the bytes: {event}");

    for form in ["md", "html"] {
        let file = sandbox.path(form).join("talk");
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        let args = ["log", "export", "talk", "--format", form, "--output", file.to_str().unwrap()];
        sandbox.silcrow(&args).ends(0);
        let page = std::fs::read_to_string(&file).unwrap();
        let start = page.find("media/").unwrap();
        let name = &page[start..start + page[start..].find(".png").unwrap() + 4];
        let picture = std::fs::read(file.with_file_name(name)).unwrap();
        assert!(picture.starts_with(b"\x89PNG"), "{name}");
    }

    let export = sandbox.silcrow(&["log", "export", "talk"]).ends(0).out.clone();
    sandbox.silcrow(&["log", "delete", "talk", "--yes"]).ends(0);
    sandbox.silcrow_with(&["log", "import"], export.as_bytes()).ends(0);
    sandbox.silcrow(&["log", "verify"]).ends(0);
    let again = sandbox.silcrow(&["log", "export", "talk"]).ends(0).out.clone();
    let media = |export: &str| {
        let lines = export.lines().filter(|line| line.contains("\"media/talk\""));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!((media(&again).len(), media(&again)), (2, media(&export)));
}

#[test]
fn model_reads_a_picture_by_tool() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("shot.png"), SHOT).unwrap();
    let call = "§call: {\"name\": \"file_read\", \"args\": {\"file\": \"shot.png\"}}\n§execute\n";
    let (bodies, _) = talk(
        &sandbox,
        "gpt-4o",
        &[&["Look at it."]],
        vec![says(call), says("§respond: Dots.\n§end")],
    );
    assert_eq!((pictures(&bodies[0]).len(), pictures(&bodies[1]).len()), (0, 1));
    let body: Value = serde_json::from_str(&bodies[1]).unwrap();
    let parts = body["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap();
    let texts: Vec<_> = parts.iter().map(|part| part["text"].as_str().unwrap_or("*")).collect();
    let [before, "*", after] = texts[..] else { panic!("{texts:?}") };
    assert!(before.contains("[data k") && before.ends_with(LINE), "{before}");
    assert!(after.contains("[end k"), "{after}");
}

#[test]
fn earlier_picture_is_shown_again() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("shot.png"), SHOT).unwrap();
    let call = |number: u32| {
        let args = format!("{{\"file\": \"media:{number}\"}}");
        format!("§call: {{\"name\": \"file_read\", \"args\": {args}}}\n§execute\n")
    };
    let (bodies, _) = talk(
        &sandbox,
        "gpt-4o",
        &[&["Look at @shot.png."], &["Look again."]],
        vec![
            says("§respond: Dots.\n§end"),
            says(&call(1)),
            says(&call(2)),
            says("§respond: Dots again.\n§end"),
        ],
    );
    let counts: Vec<_> = bodies.iter().map(|body| pictures(body).len()).collect();
    assert_eq!(counts, [1, 1, 2, 2]);
    let shown = pictures(&bodies[3]);
    assert_eq!(shown[0], shown[1]);
    assert!(bodies[3].contains("this conversation has no image or document 2"), "{}", bodies[3]);
}

#[test]
fn model_without_vision_gets_a_line() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("shot.png"), SHOT).unwrap();
    let (bodies, _) = talk(
        &sandbox,
        "deepseek-chat",
        &[&["What is this?", "--file", "shot.png"]],
        vec![says("§respond: ?\n§end")],
    );
    assert!(pictures(&bodies[0]).is_empty());
    let line = "[image 1: shot.png, PNG, 40 × 30; this model does not see images]";
    assert!(bodies[0].contains(line), "{}", bodies[0]);
}

#[test]
fn setting_overrides_detected_picture_support() {
    for (model, sees, sent) in
        [("my-own", "[]", 0), ("gpt-4o", "[]", 0), ("deepseek-chat", "[\"images\"]", 1)]
    {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.root().join("shot.png"), SHOT).unwrap();
        let setting = format!("[models.\"{model}\"]\nsees = {sees}\n");
        sandbox.write("config/silcrow/config.toml", &setting);
        let prompt = ["What is this?", "--file", "shot.png"];
        let (bodies, _) = talk(&sandbox, model, &[&prompt], vec![says("§respond: ?\n§end")]);
        assert_eq!(pictures(&bodies[0]).len(), sent, "{model}: {}", bodies[0]);
    }
}

#[test]
fn server_refusing_pictures_gets_lines() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("shot.png"), SHOT).unwrap();
    let (bodies, outputs) = talk(
        &sandbox,
        "my-own",
        &[&["What is this?", "--file", "shot.png"]],
        vec![refuses("image input is not supported - hint: mmproj"), says("§respond: ?\n§end")],
    );
    assert_eq!(bodies.iter().map(|body| pictures(body).len()).collect::<Vec<_>>(), [1, 0]);
    let said = &outputs[0].err;
    assert!(said.contains("takes no pictures or files") && said.contains("mmproj"), "{said}");
}

/// A program of the person that starts anew sends no picture to a server that has refused one.
#[test]
fn picture_refusal_is_remembered_until_expiry_or_setting() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("shot.png"), SHOT).unwrap();
    let yes = || says("§respond: yes\n§end");
    let refused = refuses("image input is not supported");
    let answers = vec![refused, yes(), yes(), yes(), yes(), refuses("no vision"), yes(), yes()];
    let (address, server) = play(answers, 4096);
    let model = format!("compatible:http://{address}#my-own");
    let run = || {
        let args = ["run", "What is this?", "--file", "shot.png", "--model", &model];
        let said = sandbox.silcrow(&args);
        said.ends(0);
        said.err
    };
    assert!(run().contains("its server said: "));
    let said = run();
    assert!(said.contains("its server refused them within the last day"), "{said}");
    let words = ["run", "And without one?", "--model", &model];
    let said = sandbox.silcrow(&words).ends(0).err.clone();
    assert!(!said.contains("refused"), "{said}");

    // The setting counts, and the remembered refusal is forgotten.
    let setting = "[models.\"my-own\"]\nsees = [\"images\"]\n";
    let file = sandbox.write("config/silcrow/config.toml", setting);
    assert!(!run().contains("refused"));
    std::fs::remove_file(&file).unwrap();
    assert!(run().contains("no vision"));

    // Five weeks later it is tried again.
    let folder = sandbox.path("state/silcrow-refused-media");
    let kept: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    let [kept] = &kept[..] else { panic!("{kept:?}") };
    let text = std::fs::read_to_string(kept).unwrap();
    let then =
        serde_json::from_str::<Value>(&text).unwrap()["refused"].as_u64().unwrap() - 35 * 86_400;
    std::fs::write(kept, format!("{{\"refused\":{then}}}")).unwrap();
    assert!(!run().contains("refused"));

    let sent: Vec<_> = server.join().unwrap().iter().map(|body| pictures(body).len()).collect();
    assert_eq!(sent, [1, 0, 0, 0, 1, 1, 0, 1]);
}

#[test]
fn unsendable_pictures_are_refused_before_sending() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("cut.png"), &SHOT[..SHOT.len() - 200]).unwrap();
    let model = format!("script:{}", sandbox.write("script", "§respond: yes\n§end"));
    let said = sandbox.silcrow(&["run", "Look at @cut.png", "--model", &model]);
    said.ends(2);
    assert!(
        said.err.contains("cut.png cannot be sent: the picture cannot be decoded"),
        "{}",
        said.err
    );
}
