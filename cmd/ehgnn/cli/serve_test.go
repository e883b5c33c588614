package cli_test

import (
	"os"
	"path/filepath"
	"testing"
)

// Runs that cannot be served, or would be open to everyone, are refused before serving starts.
func TestServeRefuses(t *testing.T) {
	dir := smallRun(t)
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	token := file("token", "0123456789abcdef\n")
	for want, args := range map[string][]string{
		"wrong number of arguments (0); usage: ehgnn serve RUN...": nil,
		"is no run folder":                                          {t.TempDir()},
		"are both called":                                           {dir, dir},
		"accepts requests of other machines":                        {dir, "--addr", "0.0.0.0:0"},
		"exclude each other":                                        {dir, "--addr", "127.0.0.1:0", "--token-file", token, "--no-auth"},
		"holds 5 bytes, expected":                                   {dir, "--token-file", file("short", "token")},
		"no such file":                                              {dir, "--token-file", filepath.Join(t.TempDir(), "none")},
		"given together or not at all":                              {dir, "--tls-cert", token},
		"--tls-cert, --tls-key":                                     {dir, "--tls-cert", token, "--tls-key", token},
		"--addr: listen tcp":                                        {dir, "--addr", "127.0.0.1:99999"},
		"expected a loopback address":                               {dir, "--addr", "127.0.0.1:0", "--debug-addr", "0.0.0.0:0"},
		"--queue is 0, expected at least 1":                         {dir, "--queue", "0"},
		"--timeout is 0s":                                           {dir, "--timeout", "0s"},
		`--base-path is "tools", expected a path`:                   {dir, "--base-path", "tools"},
		"--memory 10 MiB leaves 2.5 MiB for requests beside models": {dir, "--memory", "10MiB"},
		`expected a size such as 4GiB`:                              {dir, "--max-body", "much"},
	} {
		refused(t, want, append([]string{"serve"}, args...)...)
	}
}
