package review

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// The command for explanations names the run folder if a shell needs no quotes for the name.
func TestFolder(t *testing.T) {
	for command, want := range map[string]string{
		"ehgnn train payments --out runs/payments":       "runs/payments",
		"ehgnn train payments --out=runs/a.b --epochs 3": "runs/a.b",
		"ehgnn train payments --out 'runs/a b'":          "",
		"ehgnn train payments --out '$(reboot)'":         "",
		"ehgnn train payments":                           "",
	} {
		r := Review{environment: &session.Environment{Command: command}}
		if got := r.folder(); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// With several numbers, the command that explains the largest errors names one of them.
func TestCommandOfSeveral(t *testing.T) {
	dir := graphSet(t)
	var b strings.Builder
	for k := range 60 {
		fmt.Fprintf(&b, "%d, %d\n", k%7, k%5)
	}
	if err := os.WriteFile(filepath.Join(dir, "GRAPHS_graph_attributes.txt"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r := reviewed(t, dir, "graph-regression", settings.Values{"hidden": 4, "epochs": 1})
	wrong := r.wrong()
	c := r.explainCommand(wrong)
	name := r.outcome.Targets[wrong[0].target].Name
	if c == nil || !strings.HasPrefix(c.Line, "ehgnn explain RUN --split test --graph ") || !strings.HasSuffix(c.Line, " --target '"+name+"' --out why.html") {
		t.Errorf("%+v", c)
	}
}
