// Command edges writes generated payments as tables of nodes and edges, trains
// models to find the fraud among them, and prints how well they do on the latest
// payments. docs/edges.md walks through it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/synth"
)

func main() {
	out := flag.String("out", "payments", "folder for the tables and the runs, which must not exist")
	accounts := flag.Int("accounts", 400, "accounts")
	payments := flag.Int("payments", 6000, "payments")
	epochs := flag.Int("epochs", 150, "passes over the training payments at most; 0 writes the tables and trains nothing")
	doubt := flag.Bool("doubt", false, "labels that nobody can predict without errors: frauds that were not reported, and stolen cards")
	flag.Parse()
	if err := run(os.Stdout, *out, *accounts, *payments, *epochs, *doubt); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, out string, accounts, payments, epochs int, doubt bool) error {
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	if err := generate(out, accounts, payments, doubt); err != nil {
		return err
	}
	if epochs == 0 {
		return nil
	}
	for _, model := range []string{"ehgnn-roles", "ehgnn-edge", "ehgnn-joint-edge", "mlp-edge"} {
		ctx := context.Background()
		m, err := ehgnn.Train(ctx, ehgnn.Path(out), ehgnn.TrainOptions{Task: "edge-classification", Model: model, Seed: 42, Dir: filepath.Join(out, "run-"+model),
			Settings: map[string]any{"split": "time", "epochs": epochs, "hidden": 32}}) // the latest fifth is tested
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-16s", model)
		for _, score := range []string{"average_precision", "roc_auc", "f1", "precision", "recall"} {
			v, _ := m.Result().Test.Get(score)
			fmt.Fprintf(w, "  %s %.3f", score, v)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// generate writes nodes.csv and edges.csv.
func generate(dir string, accounts, payments int, doubt bool) error {
	t, err := synth.NewTransactions(accounts, payments, 42)
	if err != nil {
		return err
	}
	if doubt {
		t.AddDoubt(42)
	}
	for name, write := range map[string]func(io.Writer) error{"nodes.csv": t.WriteNodes, "edges.csv": t.WriteEdges} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := write(f); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
