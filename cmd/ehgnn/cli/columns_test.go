package cli_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/internal/source"
)

// train first lists the columns that data info lists. With --json they are records of the log.
func TestTrainHead(t *testing.T) {
	path := payments(t, 200, "nodes.csv", "edges.csv")
	var info source.TableSummary
	document(t, succeed(t, "data", "info", path, "--json"), &info)
	if info.Task != "edge-classification" || info.Decided != `label "label": 2 classes: edge-classification` || len(info.Info.Tables) != 2 {
		t.Fatalf("data info: %+v", info)
	}
	for _, c := range []struct {
		flag, decided, column string
	}{
		{"--seed=1", `; label "label": 2 classes:`, "\n  NAME "},
		{"--json", `msg="label \"label\": 2 classes: edge-classification"`, " msg=column of=edge name=NAME "},
		{"--quiet", "", ""},
	} {
		var out, errs bytes.Buffer
		dir := filepath.Join(t.TempDir(), "run")
		if code := cli.Main(context.Background(), cli.State{Args: []string{"train", path, "--epochs", "1", "--hidden", "4", "--out", dir, c.flag}, Stdout: &out, Stderr: &errs}); code != 0 {
			t.Fatalf("%s: exit code %d, %s", c.flag, code, errs.String())
		}
		text := errs.String()
		if !strings.Contains(text, c.decided) || c.decided == "" && text != "" {
			t.Errorf("%s: standard error\n%s\nwant %s in it", c.flag, text, c.decided)
		}
		for _, x := range info.Info.Tables[1].Columns {
			if want := strings.ReplaceAll(c.column, "NAME", x.Name); c.column != "" && strings.Count(text, want) == 0 {
				t.Errorf("%s: standard error\n%s\nwant %q in it", c.flag, text, want)
			}
		}
		long := func(l string) bool { return strings.HasPrefix(l, "  ") && len([]rune(l)) > 80 }
		if lines := strings.Split(text, "\n"); slices.ContainsFunc(lines, long) {
			t.Errorf("%s: lines of more than 80 characters in\n%s", c.flag, text)
		}
	}
}
