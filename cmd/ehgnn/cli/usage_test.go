package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/internal/version"
)

// Wrong usage is refused with exit code 2 and a message that says what was found and what is
// expected.
func TestUsage(t *testing.T) {
	tests := []struct{ args, want string }{
		{"nonsense", `unknown command "nonsense" for "ehgnn"; see ehgnn --help`},
		{"trian", `unknown command "trian" for "ehgnn", did you mean "train"?`},
		{"data inof", `unknown command "inof" for "ehgnn data", did you mean "info"?`},
		{"reproduce everything", `unknown command "everything" for "ehgnn reproduce"`},
		{"help trian", `unknown command "trian" for "ehgnn", did you mean "train"?`},
		{"help data nonsense", `unknown command "nonsense" for "ehgnn data"`},
		{"completion tcsh", `unknown command "tcsh" for "ehgnn completion"`},
		{"completion bash zsh", "wrong number of arguments (1); usage: ehgnn completion bash"},

		{"train", "wrong number of arguments (0); usage: ehgnn train [DATA]"},
		{"train a b", "wrong number of arguments (2); usage: ehgnn train [DATA]"},
		{"evaluate", "wrong number of arguments (0); usage: ehgnn evaluate RUN [DATA]"},
		{"evaluate a b c", "wrong number of arguments (3); usage: ehgnn evaluate RUN [DATA]"},
		{"predict a", "wrong number of arguments (1); usage: ehgnn predict RUN DATA"},
		{"explain", "wrong number of arguments (0); usage: ehgnn explain RUN [DATA]"},
		{"embed a b c", "wrong number of arguments (3); usage: ehgnn embed RUN DATA"},
		{"data info", "wrong number of arguments (0); usage: ehgnn data info PATH"},
		{"demo now", "wrong number of arguments (1)"},
		{"bench now", "wrong number of arguments (1)"},
		{"version 2", "wrong number of arguments (1)"},
		{"reproduce graph-classification MUTAG", "wrong number of arguments (1)"},
		{"reproduce transform-time x", "wrong number of arguments (1)"},
		{"reproduce message-time x", "wrong number of arguments (1)"},

		{"--nonsense", "unknown flag --nonsense; see ehgnn --help"},
		{"train --epoch 3 x", "unknown flag --epoch: use --epochs; see ehgnn train --help"},
		{"train x --epochs", "flag needs an argument: --epochs"},
		{"train x --epochs three", `--epochs is "three", expected a whole number; see ehgnn train --help`},
		{"train x --lr fast", `--lr is "fast", expected a number`},
		{"train x --layer-norm=maybe", `--layer-norm is "maybe", expected true or false`},
		{"version --seed -1", `--seed is "-1", expected a whole number, 0 or more`},
		{"version --threads 0", "--threads is 0, expected at least 1"},
		{"version --log-level loud", `--log-level is "loud", expected debug, info, warn or error`},
		{"train x --fold 0", "--fold is 0, expected at least 1"},

		{"reproduce graph-classification", "none of the data sets DD, PROTEINS, MUTAG,"},
		{"reproduce ablation", "get them with: ehgnn data fetch MUTAG PROTEINS ogbg_moltox21"},
		{"reproduce graph-classification --preset slow", `--preset is "slow", expected quick or paper`},
		{"reproduce graph-classification --dataset x --memory-limit lots", `--memory-limit is "lots", expected a size such as 4GiB, 500MB or 0`},
		{"reproduce graph-classification --dataset x --model gcm", `unknown model "gcm", did you mean "gcn"?`},
		{"reproduce ablation x", "wrong number of arguments (1)"},
		{"reproduce graph-classification --dataset NOSUCH", `no data set "NOSUCH"`},
		{"reproduce graph-classification --dataset x --seeds 0", "--seeds is 0, expected at least 1"},
		{"reproduce graph-classification --dataset x --folds 1,two", `--folds is "1,two", expected whole numbers`},
		{"reproduce graph-classification --dataset x --fold 3", "unknown flag --fold: use --folds"},
		{"reproduce transform-time --runs 0", "--runs is 0, expected at least 1"},
		{"reproduce message-time --runs -1", "--runs is -1, expected at least 1"},
		{"bench --dataset NOSUCH", `no data set "NOSUCH"`},

		{"embed a b --level hyperedge", `--level is "hyperedge", expected one of ["edge" "node" "graph"]`},
		{"evaluate a --split some", `--split is "some", expected one of ["train" "valid" "test" "all"]`},
		{"predict a b --out c.xlsx", "c.xlsx: unknown kind of table, expected a name ending in .arrow, .csv"},
		{"train x --model hyperdorp", `unknown model "hyperdorp", did you mean "hyperdrop"? (known: hyperdrop, hypercluster, `},
		{"train x --model gcm", `did you mean "gcn"?`},
		{"train x --model gea", `unknown model "gea", did you mean "gae"?`},
		{"train x --model lightgnc", `did you mean "lightgcn"?`},
		{"train x --model gea --task link-prediction", `unknown model of link prediction "gea", did you mean "gae"? (known: auto, gae, `},
		{"train x --task regression", `unknown task "regression", did you mean "node-regression"? (known: graph-classification, graph-regression, node-classification,`},
		{"train x --task node-classification --model gcn", "model gcn has no predictions for node-classification, expected a model for that task or one of the tasks: graph-classification, graph-regression"},
		{"train cora", "cora is neither here nor in the data folder "},
		{"predict x cora", "cora is neither here nor in the data folder "},
		{"train x --task edge-reconstruction --model hyperdrop", "model hyperdrop has no predictions for edge-reconstruction"},
		{"data info x --edges both", `--edges is "both", expected one of ["auto" "undirected" "directed" "bipartite"]`},
		{"data info . --format csv", `--format is "csv", expected one of ["tu" "dgcnn" "ogb" "planetoid" "tables" "graphml" "gexf" "mtx" "edge-list" "triples" "smiles" "node-link"]`},
		{"data info cora", "cora is neither here nor in the data folder "},
		{"data convert a", "wrong number of arguments (1); usage: ehgnn data convert PATH OUT"},
		{"data convert a b --to sql", `--to is "sql", expected one of ["tu" "csv" "parquet"]`},
		{"data fetch", "wrong number of arguments (0); usage: ehgnn data fetch NAME..."},
		{"data fetch MUTAH", `no data set "MUTAH" is known, did you mean "MUTAG"?; see ehgnn data list`},
		{"data fetch MUTAG --url ftp://x", `mirror "ftp://x" is no http or https URL`},
		{"data fetch MUTAG --retries -1", "--retries is -1, expected at least 0"},
		{"data fetch MUTAG --max-size -1", "--max-size is -1, expected at least 0"},
		{"data fetch MUTAG --timeout 0s", "--timeout is 0s, expected a positive time"},
		{"data list all", "wrong number of arguments (1)"},
	}
	t.Chdir(t.TempDir())
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			refused(t, test.want, strings.Fields(test.args)...)
			if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
				t.Errorf("left behind: %v %v", files, err)
			}
		})
	}
}

// Exit codes and streams are tested in the real program, not only in the function that main calls.
func TestProgram(t *testing.T) {
	t.Parallel()
	r := program(t, "version")
	if line := regexp.MustCompile(`^ehgnn \S+( \([0-9a-f]{12}(, with changes)?\))?, go1\.\S+ \S+/\S+, kernels: [^,]+, chemistry: [^\n]+\n$`); r.code != 0 || r.stderr != "" || !line.MatchString(r.stdout) {
		t.Errorf("version: %+v", r)
	}
	if flag := program(t, "--version"); flag != r {
		t.Errorf("--version: %+v, version: %+v", flag, r)
	}
	r = program(t, "train")
	if r.code != cli.ExitUsage || r.stdout != "" || r.stderr != "ehgnn: wrong number of arguments (0); usage: ehgnn train [DATA] [flags]\n" {
		t.Errorf("train: %+v", r)
	}
	missing := filepath.Join(t.TempDir(), "missing.zip")
	if r := program(t, "train", missing); r.code != cli.ExitUsage || r.stdout != "" || !strings.Contains(r.stderr, missing+": no such file or directory") {
		t.Errorf("train %s: %+v", missing, r)
	}
}

func TestVersion(t *testing.T) {
	text := succeed(t, "version")
	chemistry := "none (make build-chem)"
	toolkit, err := rdkit.Toolkit()
	if err == nil {
		chemistry = toolkit.Version()
	}
	for _, want := range []string{"ehgnn " + version.Get("").Name() + ", go1.", "kernels: ", "chemistry: " + chemistry} {
		if !strings.Contains(text, want) {
			t.Errorf("version prints %q, want it to hold %q", text, want)
		}
	}
	if flag := succeed(t, "--version"); flag != text {
		t.Errorf("--version prints %q, version prints %q", flag, text)
	}
	var v struct {
		version.Info
		Chemistry string
	}
	document(t, succeed(t, "--version", "--json"), &v)
	if v.Version != version.String() || v.SIMD == "" || v.CPUs < 1 || (v.Chemistry == "") != (err != nil) {
		t.Errorf("version --json: %+v", v)
	}
}

// Users see the help texts, so that every change of them must be visible here.
func TestHelp(t *testing.T) {
	tests := []struct{ file, args string }{
		{"help.golden", "--help"}, {"train.golden", "train --help"}, {"sweep.golden", "sweep --help"}, {"embed.golden", "help embed"}, {"explain.golden", "help explain"}, {"serve.golden", "help serve"},
		{"reproduce-graph-classification.golden", "reproduce graph-classification --help"}, {"reproduce-ablation.golden", "reproduce ablation --help"},
		{"reproduce-node-classification.golden", "reproduce node-classification --help"},
		{"reproduce-edges.golden", "reproduce edges --help"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			golden(t, test.file, succeed(t, strings.Fields(test.args)...))
		})
	}
	if succeed(t) != succeed(t, "--help") || succeed(t, "help") != succeed(t, "--help") {
		t.Error("without a verb the program prints something else than its help")
	}
	for _, verb := range []string{"data", "reproduce", "completion"} {
		if text := succeed(t, verb); text != succeed(t, verb, "--help") {
			t.Errorf("%s prints something else than its help", verb)
		}
	}
}

// golden compares text with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, path); text != want {
		t.Errorf("%s differs; if that is meant, run go test ./cmd/ehgnn/cli -run %s -update\n--- have\n%s", path, "TestHelp", text)
	}
}

// Every command, flag and shell is in the completions.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if text := succeed(t, "completion", shell); !strings.Contains(text, "ehgnn") || strings.Count(text, "\n") < 50 {
			t.Errorf("completion %s prints no script:\n%.300s", shell, text)
		} else if path, err := exec.LookPath(shell); err == nil && shell == "bash" {
			check := exec.Command(path, "-n")
			check.Stdin = strings.NewReader(text)
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("bash cannot read its completion: %v\n%s", err, out)
			}
		}
	}
	if r := run(t, "__complete", "tr"); r.code != 0 || !strings.HasPrefix(r.stdout, "train\t") {
		t.Errorf("completing tr: %+v", r)
	}
	if r := run(t, "__complete", "train", "x", "--wei"); r.code != 0 || !strings.HasPrefix(r.stdout, "--weight-decay\t") {
		t.Errorf("completing train x --wei: %+v", r)
	}
}
