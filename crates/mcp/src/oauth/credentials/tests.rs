use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use rmcp::transport::auth::{CredentialStore as _, StoredCredentials};

use super::FileCredentials;

fn credentials(client: &str, issuer: &str) -> StoredCredentials {
    let made = StoredCredentials::new(client.to_owned(), None, Vec::new(), None);
    made.with_issuer(Some(issuer.to_owned()))
}

#[tokio::test]
async fn credentials_are_per_issuer_in_server_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("credentials");
    let file = FileCredentials::new(&folder, "https://one.example/mcp");
    assert!(file.load().await.unwrap().is_none());
    file.save(credentials("a", "https://issuer-a.example")).await.unwrap();
    file.save(credentials("b", "https://issuer-b.example")).await.unwrap();
    assert_eq!(file.load().await.unwrap().unwrap().client_id, "b");
    let kept = file.read().unwrap();
    assert_eq!(kept.issuers["https://issuer-a.example"].client_id, "a");
    file.clear().await.unwrap();
    assert!(file.load().await.unwrap().is_none());
    assert_eq!(file.read().unwrap().issuers.len(), 1);
    let other = FileCredentials::new(&folder, "https://two.example/mcp");
    assert!(other.load().await.unwrap().is_none());
}

#[tokio::test]
async fn credential_files_are_private_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("credentials");
    let file = FileCredentials::new(&folder, "https://one.example/mcp");
    file.save(credentials("a", "https://issuer-a.example")).await.unwrap();
    assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(&file.file).unwrap().mode() & 0o777, 0o600);
    fs::set_permissions(&file.file, Permissions::from_mode(0o644)).unwrap();
    let error = file.load().await.unwrap_err().to_string();
    assert!(error.contains("others can read"), "{error}");
    file.save(credentials("c", "https://issuer-a.example")).await.unwrap();
    assert_eq!(file.load().await.unwrap().unwrap().client_id, "c");
}
