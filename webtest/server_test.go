package webtest

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/golden"
)

// scratch is a folder for all tests.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ehgnn-web-")
	if err != nil {
		panic(err)
	}
	scratch = dir
	atEnd = append(atEnd, func() { os.RemoveAll(dir) })
	defer func() {
		for i := range atEnd {
			atEnd[len(atEnd)-1-i]()
		}
	}()
	return m.Run()
}

// program builds the program once.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "ehgnn")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/ehgnn")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// attack is a name in the data that must stay text.
const attack = `<script>alert(1)</script>`

// The runs that screens are looked at of. Of the data of lost nothing is left.
var runs = []string{"rings", "rings-again", "clusters", "payments", "lost", "links", "repeated"}

// trained trains the runs once and returns the folder that they are in.
var trained = sync.OnceValues(func() (string, error) {
	path, err := program()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(scratch, "runs")
	rings, lost, payments, amounts := filepath.Join(scratch, "RINGS"), filepath.Join(scratch, "LOST"), filepath.Join(scratch, "payments"), filepath.Join(scratch, "amounts")
	few := filepath.Join(scratch, "few")
	if err := errors.Join(golden.WriteRings(rings, 300, 5, true), golden.WriteRings(lost, 300, 5, true), writePayments(payments, false, 3000), writePayments(amounts, true, 3000), writePayments(few, false, 200)); err != nil {
		return "", err
	}
	for name, args := range map[string][]string{
		"rings":       {rings, "--model", "hyperdrop", "--epochs", "60", "--lr", "0.003"},
		"rings-again": {rings, "--model", "hyperdrop", "--epochs", "4", "--hidden", "16"},
		"clusters":    {rings, "--model", "hypercluster", "--epochs", "2"},
		"payments":    {payments, "--task", "edge-classification", "--label", "label", "--epochs", "3"},
		"lost":        {lost, "--epochs", "2"},
		"repeated":    {rings, "--model", "gin", "--hidden", "16", "--epochs", "8", "--repeat", "3"},
		"links":       {few, "--task", "link-prediction", "--model", "trees"},
		"auto":        {payments, "--model", "auto", "--label", "label"},
		"amounts":     {amounts, "--model", "auto", "--label", "label", "--task", "edge-regression"},
	} {
		cmd := exec.Command(path, append([]string{"train", "--out", filepath.Join(dir, name), "--quiet"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %s", cmd.Args, out)
		}
	}
	return dir, os.RemoveAll(lost)
})

// writePayments writes one graph of n payments of two months between 3 accounts for each ten, whose rare class has a hostile name; with a number to predict in place
// of classes.
func writePayments(dir string, number bool, n int) error {
	random := rand.New(rand.NewPCG(1, 2))
	text := "source,target,amount,date,label\n"
	for k := range n {
		amount, label := random.Float64(), "ok"
		if amount > 0.9 {
			label = attack
		}
		if number {
			label = fmt.Sprintf("%.3f", 100*amount*amount+3*random.ExpFloat64())
		}
		date := time.Date(2024, time.January, 1+60*k/n, 0, 0, 0, 0, time.UTC)
		text += fmt.Sprintf("n%d,n%d,%.3f,%s,%s\n", random.IntN(n*3/10), random.IntN(n*3/10), amount, date.Format(time.DateOnly), label)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "edges.csv"), []byte(text), 0o644)
}

// server starts the program on the runs once and returns its address.
var server = sync.OnceValues(func() (string, error) {
	dir, err := trained()
	if err != nil {
		return "", err
	}
	path, err := program()
	if err != nil {
		return "", err
	}
	args := []string{"serve", "--addr", "127.0.0.1:0", "--threads", "2", "--timeout", "5m"} // of a machine that has much else to do
	for _, name := range runs {
		args = append(args, filepath.Join(dir, name))
	}
	cmd := exec.Command(path, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	atEnd = append(atEnd, func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	at, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if !ok {
		return "", fmt.Errorf("ehgnn serve prints %q, %v", line, err)
	}
	return at, nil
})

// site is the address of the server.
func site(t *testing.T) string {
	t.Helper()
	at, err := server()
	if err != nil {
		t.Fatal(err)
	}
	return at
}
