//! Starts `surveyor lsp` beside Zed's other language servers, and `surveyor mcp` for its agent.

use zed_extension_api::settings::{CommandSettings, ContextServerSettings, LspSettings};
use zed_extension_api::{
    self as zed, serde_json, Command, ContextServerId, LanguageServerId, Project, Result, Worktree,
};

/// The program, and our name in Zed's settings.
const NAME: &str = "surveyor";

const MISSING: &str = "There is no `surveyor` on the PATH. Install it (`uv tool install surveyor`), or set \
                       `lsp.surveyor.binary.path` in the settings.";

struct Surveyor;

/// What the user's settings name, else a program with the arguments it needs.
fn command(
    set: Option<CommandSettings>,
    found: Option<String>,
    argument: &str,
    env: Vec<(String, String)>,
) -> Result<Command> {
    let set = set.unwrap_or(CommandSettings {
        path: None,
        arguments: None,
        env: None,
    });
    let command = set.path.or(found).ok_or(MISSING)?;
    let args = set.arguments.unwrap_or_else(|| vec![argument.to_string()]);
    let env = env.into_iter().chain(set.env.unwrap_or_default()).collect();
    Ok(Command { command, args, env })
}

impl zed::Extension for Surveyor {
    fn new() -> Self {
        Surveyor
    }

    fn language_server_command(&mut self, _id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let set = LspSettings::for_worktree(NAME, worktree)?.binary;
        command(set, worktree.which(NAME), "lsp", worktree.shell_env())
    }

    /// A companion unless the settings say otherwise: Zed asks all servers of a buffer, so that what the
    /// language's own one answers would come twice.
    fn language_server_initialization_options(
        &mut self,
        _id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let set = LspSettings::for_worktree(NAME, worktree)?.initialization_options;
        let mut options = serde_json::json!({ "mode": "companion" });
        if let (Some(options), Some(serde_json::Value::Object(set))) = (options.as_object_mut(), set) {
            options.extend(set);
        }
        Ok(Some(options))
    }

    fn language_server_workspace_configuration(
        &mut self,
        _id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(LspSettings::for_worktree(NAME, worktree)?.settings)
    }

    /// Zed looks the program up on its own PATH: an extension sees no worktree here.
    fn context_server_command(&mut self, _id: &ContextServerId, project: &Project) -> Result<Command> {
        let set = ContextServerSettings::for_project(NAME, project)?.command;
        command(set, Some(NAME.to_string()), "mcp", Vec::new())
    }
}

zed::register_extension!(Surveyor);
