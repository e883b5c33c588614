//go:build unix

package cli_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A release has the man page, with every command and flag, and the completions that the program prints.
func TestReleaseExtras(t *testing.T) {
	t.Parallel()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	packaging := filepath.Join("..", "..", "..", "packaging")
	if out, err := exec.Command("bash", filepath.Join(packaging, "extras.sh"), path, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	page := read(t, dir, "ehgnn.1")
	if !strings.HasPrefix(page, ".TH EHGNN 1 ") {
		t.Errorf("the page begins with %.80q", page)
	}
	for _, want := range []string{".SS ehgnn train\n", ".SS ehgnn data fetch\n", ".B \\-\\-threshold ", ".B \\-\\-max\\-memory ", ".B \\-\\-seed "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	// The only roff requests are those of the page: no line of text begins with a dot or an apostrophe.
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !regexp.MustCompile(`^\.(TH|SH|SS|PP|TP|nf|fi|B|I)\b`).MatchString(line) {
			t.Errorf("a line of text is a request: %q", line)
		}
	}
	for name, want := range map[string]string{"ehgnn.bash": "__start_ehgnn", "_ehgnn": "#compdef ehgnn", "ehgnn.fish": "complete -c ehgnn", "ehgnn.ps1": "Register-ArgumentCompleter"} {
		if !strings.Contains(read(t, dir, "completions", name), want) {
			t.Errorf("%s has no %q", name, want)
		}
	}
	// Every archive and package contains them.
	release, deb := read(t, packaging, "release.sh"), read(t, packaging, "nfpm.yaml")
	if !strings.Contains(release, `dist/extras/ehgnn.1 dist/extras/completions "dist/$name"`) || !strings.Contains(deb, "src: dist/extras/ehgnn.1") {
		t.Error("release.sh does not put them into archives, or nfpm.yaml into packages")
	}
}
