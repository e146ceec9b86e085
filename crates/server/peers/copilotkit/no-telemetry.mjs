// The runtime would tell its makers of each run.
process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
