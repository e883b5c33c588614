package cli_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
)

// Impossible requests to optimise are usage errors in every build.
func TestOptimiseUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no --score; there are gsk3b, jnk3, qed, sa"},
		{[]string{"--score", "ged"}, `--score has "ged", expected one of gsk3b, jnk3, qed, sa, or NAME=LIST.csv`},
		{[]string{"--score", "=x"}, "expected NAME=VALUE"},
		{[]string{"--score", "x=runs/none"}, "--score x: there is no runs/none"},
		{[]string{"--score", "x=none.csv"}, "--score x: there is no none.csv"},
		{[]string{"--score", "qed", "--score", "qed"}, `--score has "qed" twice`},
		{[]string{"--score", "a,a=cat"}, `--score has "a" twice`},
		{[]string{"--score", "a,=cat"}, `--score is "a,=cat", expected a name before and behind each comma`},
		{[]string{"--score", "qed", "--combine", "sum"}, `--combine is "sum", expected one of`},
		{[]string{"--score", "qed", "--weight", "sa=1"}, `--weight is for "sa", which is not a --score`},
		{[]string{"--score", "qed", "--clip", "qed"}, "--clip is \"qed\", expected NAME=VALUE"},
		{[]string{"--score", "qed", "--threshold", "qed=high"}, `--threshold has "high", expected a number`},
		{[]string{"--score", "qed", "--range", "qed=1"}, `--range has "", expected a number`},
		{[]string{"--score", "qed", "--range", "qed=1:inf"}, `--range has "inf", expected a number`},
		{[]string{"--score", "qed", "--score-timeout", "0s"}, "--score-timeout is 0s"},
		{[]string{"--score", "qed", "--search", "mars", "--edges", "gcn"}, "--edges is \"gcn\""},
		{[]string{"--score", "qed", "--search", "mars", "--chains", "0"}, "--chains is 0, expected at least 1"},
		{[]string{"--score", "qed", "--search", "mars", "--lr", "0"}, "learning rates 0 and"},
		{[]string{"--score", "qed", "--search", "mars", "--calls", "9"}, "--calls is not for --search mars"},
		{[]string{"--score", "qed", "--chains", "9"}, "--chains is for --search mars"},
		{[]string{"--score", "qed", "--search", "best"}, "--search is \"best\", expected one of"},
		{[]string{"--score", "qed", "--calls", "0"}, "--calls is 0, expected at least 1"},
		{[]string{"--score", "qed", "--max-atoms", "-1"}, "--max-atoms is -1"},
		{[]string{"--score", "qed", "--reject", "none", "--reject", "pains"}, "--reject has none and others"},
	} {
		refused(t, c.want, append([]string{"optimise", "--out", t.TempDir()}, c.args...)...)
	}
	if _, err := rdkit.Toolkit(); err != nil {
		refused(t, chem.ErrNoToolkit.Error(), "optimise", "--score", "qed", "--out", t.TempDir())
	}
}
