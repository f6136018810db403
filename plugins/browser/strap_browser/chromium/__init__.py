"""One Chromium on this machine: found, installed, started, watched, ended."""
