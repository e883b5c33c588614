package cli

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// newVerb lists the models that train knows.
func newVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "models",
		Short: "List the models",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			names := modelNames()
			return a.emit(names, func(w io.Writer) error { return writeLines(w, names...) })
		},
	}
}

// A new command runs, prints text or JSON, and checks its arguments, like the others.
func TestExtendVerb(t *testing.T) {
	before := verbs
	verbs = append(slices.Clone(before), newVerb)
	t.Cleanup(func() { verbs = before })

	for _, test := range []struct {
		args string
		code int
		want string // beginning of standard output
	}{
		{"models", ExitOK, "hyperdrop\nhypercluster\n"},
		{"models --json", ExitOK, "[\n  \"hyperdrop\",\n"},
		{"models gcn", ExitUsage, ""},
	} {
		var out, errs strings.Builder
		code := Main(t.Context(), State{Args: strings.Fields(test.args), Stdout: &out, Stderr: &errs})
		if code != test.code || !strings.HasPrefix(out.String(), test.want) {
			t.Errorf("%s: code %d, output %q (%s)", test.args, code, out.String(), errs.String())
		}
	}
}
