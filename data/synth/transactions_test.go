package synth_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
)

func TestTransactions(t *testing.T) {
	const accounts, payments = 400, 6000
	a, err := synth.NewTransactions(accounts, payments, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := synth.NewTransactions(accounts, payments, 1)
	if err != nil || !reflect.DeepEqual(a, again) {
		t.Errorf("other transactions the second time: %v", err)
	}
	fraud, honest, parallel := 0, 0, map[[2]int]int{}
	several := false
	for i, p := range a.Payments {
		if p.Source == p.Target && p.Channel != "transfer" || p.Amount < 0 || i > 0 && p.Minute <= a.Payments[i-1].Minute {
			t.Fatalf("payment %d: %+v", i, p)
		}
		switch {
		case p.Fraud && (p.Channel != "transfer" || p.Amount < 119.99 || a.Accounts[p.Target].Kind != "person"):
			t.Fatalf("fraud %+v", p)
		case p.Fraud:
			fraud++
		case p.Channel == "transfer" && p.Amount >= 120:
			honest++
		}
		pair := [2]int{p.Source, p.Target}
		parallel[pair]++
		several = several || parallel[pair] > 1
	}
	if share := float64(fraud) / payments; share < 0.02 || share > 0.06 {
		t.Errorf("%g of the payments are fraud, want a few in a hundred", share)
	}
	if honest < 4*fraud {
		t.Errorf("%d honest large transfers for %d frauds: a payment's own features tell too much", honest, fraud)
	}
	changed := map[string]int{}
	b, err := synth.NewTransactions(accounts, payments, 1)
	if err != nil {
		t.Fatal(err)
	}
	b.AddDoubt(1)
	for i, p := range b.Payments {
		if q := a.Payments[i]; p.Fraud != q.Fraud {
			changed[p.Channel]++
		} else if p != q {
			t.Fatalf("payment %+v was %+v", p, q)
		}
	}
	if n := changed["transfer"]; n < fraud/8 || n > fraud/3 {
		t.Errorf("%d of %d frauds are not reported", n, fraud)
	}
	if n := changed["card"]; n < 90 || n > 230 || len(changed) != 2 {
		t.Errorf("changed labels by channel %v", changed)
	}
	if !several {
		t.Error("no two payments between the same accounts")
	}
	var nodes, edges strings.Builder
	if err := a.WriteNodes(&nodes); err != nil {
		t.Fatal(err)
	}
	if err := a.WriteEdges(&edges); err != nil {
		t.Fatal(err)
	}
	if n, m := strings.Count(nodes.String(), "\n"), strings.Count(edges.String(), "\n"); n != accounts+1 || m != payments+1 {
		t.Errorf("%d and %d lines, want one more than %d accounts and %d payments", n, m, accounts, payments)
	}
	for _, n := range []int{-1, 49} {
		if _, err := synth.NewTransactions(n, 10, 1); err == nil {
			t.Errorf("no error for %d accounts", n)
		}
	}
}
